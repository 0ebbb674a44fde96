import { createHash } from 'node:crypto';
import { Column, Entity } from 'typeorm';
import { MicroUsdcColumn, MomentColumn } from '#database';
import { Allowance } from '../allowances';
import type { SessionState } from './session.states';

/** A cap in escrow for one payee. Payments are authorized by vouchers and paid together by one settlement. */
@Entity('sessions')
export class Session extends Allowance {
  /** The origin of the provider. Of a session that was written from the chain, what `lostProvider` makes of its hash. */
  @Column('text')
  provider: string;

  /** Owner of the token account that is paid. */
  @Column('text')
  payee: string;

  /** How long the payee may still settle after a closing, by the chain's clock. */
  @Column('integer')
  graceSeconds: number;

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

  /** Whether the events of the current cap, warned and reached, are recorded. */
  @Column('boolean')
  capWarned: boolean;

  @Column('boolean')
  capReached: boolean;

  /** The payment whose voucher is signed and not answered yet: no other payment signs until it is. */
  @Column('text', { nullable: true })
  payingPaymentId: string | null;

  /** While a grace period runs: when any key may end it, by the chain's clock. */
  @MomentColumn({ nullable: true })
  endsAt: Date | null;

  /** When something was last paid out of it. */
  @MomentColumn({ nullable: true })
  usedAt: Date | null;

  /** Since when a voucher waits to be settled. */
  @MomentColumn({ nullable: true })
  unsettledSince: Date | null;
}

/** The form that a provider has on chain. */
export function hashOfProvider(provider: string): Buffer {
  return createHash('sha256').update(provider).digest();
}

/** Stands for a provider of which only the hash is known. */
export function lostProvider(hash: Buffer): string {
  return `sha256:${hash.toString('hex')}`;
}
