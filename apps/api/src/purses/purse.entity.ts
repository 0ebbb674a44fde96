import { Column, Entity } from 'typeorm';
import { BigintColumn, IdColumn, MicroUsdcColumn, MomentColumn } from '#database';
import type { Metadata } from '../lists/references';
import type { PurseStatus } from './purse.states';

/** One on-chain allowance for many x402 payments: its delegate signs each payment's transfer. */
@Entity('purses')
export class Purse {
  /** The same as its opening order's. */
  @IdColumn()
  id: string;

  @Column('text')
  operatorId: string;

  @Column('text')
  accountId: string;

  /** The category that the allowance was approved for; its payments have no other. */
  @Column('text', { nullable: true })
  category: string | null;

  /** The only host that it pays; null for any. */
  @Column('text', { nullable: true })
  host: string | null;

  /** The caller's own name of it. */
  @Column('text', { nullable: true })
  reference: string | null;

  /** The caller's key-value pairs. */
  @Column('jsonb')
  metadata: Metadata;

  /** The allowance. */
  @MicroUsdcColumn()
  microUsdc: bigint;

  /** Of the payments that landed or may still land: never more than the allowance. */
  @MicroUsdcColumn()
  committedMicroUsdc: bigint;

  /** Of the payments that landed. Once it is closed: what its delegate moved, exact. */
  @MicroUsdcColumn()
  spentMicroUsdc: bigint;

  @MicroUsdcColumn()
  returnedMicroUsdc: bigint;

  @Column('integer')
  expiresInSeconds: number;

  /** The key that signs its transfers, for its whole life. */
  @Column('text')
  delegateKey: string;

  /** Null for a purse that was backfilled. */
  @Column('text', { nullable: true, select: false })
  delegateKeySealed: string | null;

  @Column('text')
  status: PurseStatus;

  /** The nonce of its approval on chain, which names it there. */
  @BigintColumn({ nullable: true })
  seq: bigint | null;

  @Column('text', { nullable: true })
  openSignature: string | null;

  @Column('text', { nullable: true })
  endSignature: string | null;

  @MomentColumn()
  createdAt: Date;

  /** This and `expiresAt` by the chain's clock. */
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

  /** Until then one process looks after it or ends it. */
  @MomentColumn()
  leaseUntil: Date;
}

/** The URL of the only host that a purse may pay; null if it may pay any. */
export function urlOf({ host }: Purse): string | null {
  return host === null ? null : `https://${host}`;
}
