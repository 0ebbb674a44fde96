import { Column, Entity } from 'typeorm';
import { BigintColumn, MicroUsdcColumn, MomentColumn } from '#database';
import { Allowance } from '../allowances';
import type { PurseStatus } from './purse.states';

export type PurseKind = 'allowance' | 'channel';

/** One on-chain allowance for many x402 payments, whose delegate signs each payment's transfer; or an amount for payment channels. */
@Entity('purses')
export class Purse extends Allowance {
  /** `allowance`: its key is the delegate of the amount. `channel`: its key holds the amount, and opens payment channels with it. */
  @Column('text')
  kind: PurseKind;

  /** The payment that made it for itself; null for one that was asked for. */
  @Column('text', { nullable: true })
  paymentId: string | null;

  /** The amount that came home, of a channel purse. */
  @MicroUsdcColumn()
  sweptMicroUsdc: bigint;

  /** The amount with a record in the ledger, of a channel purse. */
  @MicroUsdcColumn()
  recordedMicroUsdc: bigint;

  /** Of a channel purse: when its key's token account was closed. Until then what was neither swept nor recorded is held. */
  @MomentColumn({ nullable: true })
  goneAt: Date | null;

  /** The only host that it pays; null for any. */
  @Column('text', { nullable: true })
  host: string | null;

  /** The allowance. */
  @MicroUsdcColumn()
  microUsdc: bigint;

  /** Of the payments that landed or may still land: never more than the allowance. */
  @MicroUsdcColumn()
  committedMicroUsdc: bigint;

  /** Of the payments that landed. Once it is closed: what its delegate moved, exact. */
  @MicroUsdcColumn()
  spentMicroUsdc: bigint;

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
}

/** The URL of the only host that a purse may pay; null if it may pay any. */
export function urlOf({ host }: Purse): string | null {
  return host === null ? null : `https://${host}`;
}
