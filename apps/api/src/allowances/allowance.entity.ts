import { Column } from 'typeorm';
import { IdColumn, MicroUsdcColumn, MomentColumn } from '#database';
import { Referenced } from '../lists/references';

/** The columns that sessions and purses share. */
export abstract class Allowance extends Referenced {
  /** The id of its opening order. */
  @IdColumn()
  id: string;

  @Column('text')
  operatorId: string;

  @Column('text')
  accountId: string;

  /** The category that its opening was approved for; its payments have no other. */
  @Column('text', { nullable: true })
  category: string | null;

  @Column('integer')
  expiresInSeconds: number;

  /** The part of its amount that came back, in micro-USDC. */
  @MicroUsdcColumn()
  returnedMicroUsdc: bigint;

  @Column('text', { nullable: true })
  openSignature: string | null;

  @Column('text', { nullable: true })
  endSignature: string | null;

  @MomentColumn()
  createdAt: Date;

  /** By the chain's clock, as `expiresAt`. */
  @MomentColumn({ nullable: true })
  openedAt: Date | null;

  @MomentColumn({ nullable: true })
  expiresAt: Date | null;

  @MomentColumn({ nullable: true })
  closedAt: Date | null;

  /** When its opening or its end was last found not to be on the finalized chain. */
  @MomentColumn({ nullable: true })
  reversedAt: Date | null;

  /** When it was cut: the database was restored, and does not know what was paid out of it since the backup. */
  @MomentColumn({ nullable: true })
  cutAt: Date | null;

  /** Until then one process settles or ends it. */
  @MomentColumn()
  leaseUntil: Date;
}
