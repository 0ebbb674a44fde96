import { Column, Entity } from 'typeorm';
import { BigintColumn, CreatedAtColumn, IdColumn, MicroUsdcColumn, MomentColumn } from '#database';
import type { PolicyFields } from '../policy';

/** An agent's account: where it lives on chain, and what was last seen there. */
@Entity('accounts')
export class Account {
  @IdColumn()
  id: string;

  @Column('text')
  operatorId: string;

  @Column('text')
  name: string;

  @Column('text')
  handle: string;

  @Column('jsonb')
  metadata: object;

  /** `creating` until it exists on chain, `closed` since it is gone there; shown only between. */
  @Column('text')
  state: 'creating' | 'open' | 'closed';

  /** Who created it on chain; a part of its address. */
  @Column('text')
  creator: string;

  @Column('text')
  chainAddress: string;

  @Column('text')
  usdcTokenAccount: string;

  /** Public key that spends. */
  @Column('text')
  authorityKey: string;

  /** Its seed, sealed under KEY_ENCRYPTION_KEY for this row. */
  @Column('text', { select: false })
  authorityKeySealed: string;

  /** The key that takes its place, while a rotation is under way: the chain says which one is current. */
  @Column('text', { nullable: true })
  pendingAuthorityKey: string | null;

  @Column('text', { nullable: true, select: false })
  pendingAuthorityKeySealed: string | null;

  /** Sent to the chain to be closed; what came of it is not written down yet. */
  @Column('boolean')
  closing: boolean;

  /** The sequence number that the next signed transfer takes. */
  @BigintColumn()
  nextSeq: bigint;

  /** The highest slot at which the account or its policy was seen to change: a node behind it has no say. */
  @BigintColumn()
  changedSlot: bigint;

  /** As last read from the chain: for lists while it is away, and never to judge by. */
  @Column('jsonb')
  policy: PolicyFields;

  @BigintColumn()
  policyVersion: bigint;

  @MomentColumn()
  policyUpdatedAt: Date;

  /** As last read from the chain: what lists filter by. */
  @Column('boolean')
  paused: boolean;

  @MicroUsdcColumn()
  balanceMicroUsdc: bigint;

  @MomentColumn()
  balanceAsOf: Date;

  /** `Idempotency-Key` of the creation, while it is taken. */
  @Column('text', { nullable: true })
  creationKey: string | null;

  @Column('bytea', { nullable: true })
  creationHash: Buffer | null;

  @MomentColumn({ nullable: true })
  creationKeyUntil: Date | null;

  /** Until then somebody is at work on its creation, its keys or its end. */
  @MomentColumn()
  leaseUntil: Date;

  @CreatedAtColumn()
  createdAt: Date;
}
