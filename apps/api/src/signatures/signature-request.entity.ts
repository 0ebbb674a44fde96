import { Column, Entity } from 'typeorm';
import { BigintColumn, CreatedAtColumn, IdColumn, MomentColumn } from '#database';

/** A transaction that the holder of an operator's chain key is asked to sign, and the action that it belongs to. */
@Entity('signature_requests')
export class SignatureRequest {
  @IdColumn()
  id: string;

  @Column('text')
  operatorId: string;

  /** Null for an action on all accounts. */
  @Column('text', { nullable: true })
  accountId: string | null;

  /** The name of an `OperatorAction`. */
  @Column('text')
  action: string;

  @Column('jsonb')
  parameters: object;

  /** The effects of the action, one sentence each. */
  @Column('text', { array: true })
  summary: string[];

  /** The chain key that must sign. */
  @Column('text')
  signer: string;

  /** Serialized, without signatures. */
  @Column('bytea')
  unsignedTransaction: Buffer;

  @BigintColumn()
  lastValidBlockHeight: bigint;

  /** From then on its blockhash may be too old: it can be renewed. */
  @MomentColumn()
  expiresAt: Date;

  /** The nonce in the transaction, if an order is approved. */
  @BigintColumn({ nullable: true })
  seq: bigint | null;

  /** The version of the policy that the transaction changes. */
  @BigintColumn({ nullable: true })
  policyVersion: bigint | null;

  /** The new authority in the transaction, if one is rotated. */
  @Column('text', { nullable: true })
  authorityKey: string | null;

  @Column('text', { nullable: true })
  authorityKeySealed: string | null;

  /** The message authentication code of the action and its transaction. */
  @Column('bytea', { nullable: true })
  mac: Buffer | null;

  /** The API key that asked for the action. */
  @Column('text')
  createdBy: string;

  @CreatedAtColumn()
  createdAt: Date;

  /** The signature that was handed in last. Stored before the transaction is sent. */
  @Column('bytea', { nullable: true })
  signature: Buffer | null;

  @MomentColumn({ nullable: true })
  completedAt: Date | null;

  /** The answer of the action, which a repeated request gets too. */
  @Column('integer', { nullable: true })
  answerStatus: number | null;

  @Column('jsonb', { nullable: true })
  answerHeaders: Record<string, string> | null;

  @Column('jsonb', { nullable: true })
  answerBody: object | null;
}
