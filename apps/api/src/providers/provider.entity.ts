import { Column, Entity, PrimaryColumn } from 'typeorm';
import { MomentColumn } from '#database';

/** A provider that an operator has pinned. */
@Entity('providers')
export class Provider {
  @PrimaryColumn('text')
  operatorId: string;

  /** The host, with its port if it is not the default of the scheme. */
  @PrimaryColumn('text')
  host: string;

  /** The owner of the token account that is paid; null for any. */
  @Column('text', { nullable: true })
  payee: string | null;

  /** The categories that it may be paid for; null for any. */
  @Column('jsonb')
  categories: string[] | null;

  /** The key that signs as the provider's operator; null if none is known. */
  @Column('text', { nullable: true })
  operatorKey: string | null;

  /** Whether its facilitator takes transfers of our program; null if the operator does not say. */
  @Column('boolean', { nullable: true })
  walletPrograms: boolean | null;

  /** How long an answer is read, in seconds. */
  @Column('integer')
  maxSeconds: number;

  /** How much of an answer's body is read, in bytes. */
  @Column('integer')
  maxBytes: number;

  /** The message authentication code of the pin; null for one from before there were codes. */
  @Column('bytea', { nullable: true })
  mac: Buffer | null;

  @MomentColumn()
  createdAt: Date;

  @MomentColumn()
  updatedAt: Date;
}
