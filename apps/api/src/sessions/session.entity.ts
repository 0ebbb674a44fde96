import { createHash } from 'node:crypto';
import { Column, Entity } from 'typeorm';
import { IdColumn, MicroUsdcColumn, MomentColumn } from '#database';
import type { Metadata } from '../lists/references';
import type { SessionState } from './session.states';

/** A cap in escrow for one payee. Payments are authorized by vouchers and paid together by one settlement. */
@Entity('sessions')
export class Session {
  /** The same as its opening order's. */
  @IdColumn()
  id: string;

  @Column('text')
  operatorId: string;

  @Column('text')
  accountId: string;

  /** The origin of the provider. Of a session that was written from the chain, what `lostProvider` makes of its hash. */
  @Column('text')
  provider: string;

  /** Owner of the token account that is paid. */
  @Column('text')
  payee: string;

  @Column('text', { nullable: true })
  category: string | null;

  /** The caller's own name of it. */
  @Column('text', { nullable: true })
  reference: string | null;

  /** The caller's key-value pairs. */
  @Column('jsonb')
  metadata: Metadata;

  /** How long the payee may still settle after a closing, by the chain's clock. */
  @Column('integer')
  graceSeconds: number;

  @Column('integer')
  expiresInSeconds: number;

  /** Signs its vouchers, and nothing else. */
  @Column('text')
  voucherKey: string;

  /** Null for a session that was written from the chain: it pays nothing more. */
  @Column('text', { nullable: true, select: false })
  voucherKeySealed: string | null;

  @Column('text')
  state: SessionState;

  /** On chain, once it is open. */
  @Column('text', { nullable: true })
  address: string | null;

  @MicroUsdcColumn()
  capMicroUsdc: bigint;

  /** Of the highest voucher that was signed. */
  @MicroUsdcColumn()
  signedMicroUsdc: bigint;

  /** Of the highest voucher that the provider accepted: the next one adds to it. */
  @MicroUsdcColumn()
  acceptedMicroUsdc: bigint;

  /** Of the highest voucher that the provider did not refuse: what is settled. */
  @MicroUsdcColumn()
  voucherMicroUsdc: bigint;

  @Column('bytea', { nullable: true })
  voucherSignature: Buffer | null;

  /** Paid to the payee, as the chain showed last. */
  @MicroUsdcColumn()
  settledMicroUsdc: bigint;

  @MicroUsdcColumn()
  returnedMicroUsdc: bigint;

  /** Whether the events of the current cap, warned and reached, are recorded. */
  @Column('boolean')
  capWarned: boolean;

  @Column('boolean')
  capReached: boolean;

  /** The payment whose voucher is signed and not answered yet: no other payment signs until it is. */
  @Column('text', { nullable: true })
  payingPaymentId: string | null;

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

  /** While a grace period runs: when any key may end it, by the chain's clock. */
  @MomentColumn({ nullable: true })
  endsAt: Date | null;

  @MomentColumn({ nullable: true })
  closedAt: Date | null;

  /** When something was last paid out of it. */
  @MomentColumn({ nullable: true })
  usedAt: Date | null;

  /** Since when a voucher waits to be settled. */
  @MomentColumn({ nullable: true })
  unsettledSince: Date | null;

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

/** The form that a provider has on chain. */
export function hashOfProvider(provider: string): Buffer {
  return createHash('sha256').update(provider).digest();
}

/** Stands for a provider of which only the hash is known. */
export function lostProvider(hash: Buffer): string {
  return `sha256:${hash.toString('hex')}`;
}
