import { Column, Entity } from 'typeorm';
import { IdColumn, MicroUsdcColumn, MomentColumn } from '#database';

/**
 * `ordered`: its opening is an order on its way, or was declined. `open`: the cap is in escrow. `closing`: nothing more is
 * promised, and its end is on its way or waits for a grace period. `settled`: over.
 */
export type SessionState = 'ordered' | 'open' | 'closing' | 'settled';

/** A cap set aside for one payee, out of which many small payments are promised and paid by one settlement. */
@Entity('sessions')
export class Session {
  /** The same as its opening order's. */
  @IdColumn()
  id: string;

  @Column('text')
  operatorId: string;

  @Column('text')
  accountId: string;

  /** The origin that it is for. */
  @Column('text')
  provider: string;

  /** Owner of the token account that is paid. */
  @Column('text')
  payee: string;

  @Column('text', { nullable: true })
  category: string | null;

  /** How long the payee may still settle after a closing, by the chain's clock. */
  @Column('integer')
  graceSeconds: number;

  @Column('integer')
  expiresInSeconds: number;

  /** Signs its vouchers, and nothing else. */
  @Column('text')
  voucherKey: string;

  @Column('text', { select: false })
  voucherKeySealed: string;

  @Column('text')
  state: SessionState;

  /** On chain, once it is open. */
  @Column('text', { nullable: true })
  address: string | null;

  @MicroUsdcColumn()
  capMicroUsdc: bigint;

  /** Of the highest voucher that was ever signed. */
  @MicroUsdcColumn()
  signedMicroUsdc: bigint;

  /** Of the highest that the provider took: what the next one builds on. */
  @MicroUsdcColumn()
  acceptedMicroUsdc: bigint;

  /** Of the highest that the provider did not refuse: what is settled. */
  @MicroUsdcColumn()
  voucherMicroUsdc: bigint;

  @Column('bytea', { nullable: true })
  voucherSignature: Buffer | null;

  /** Paid to the payee, as the chain said last. */
  @MicroUsdcColumn()
  settledMicroUsdc: bigint;

  @MicroUsdcColumn()
  returnedMicroUsdc: bigint;

  /** Whether the present cap was warned of, and said to be reached. */
  @Column('boolean')
  capWarned: boolean;

  @Column('boolean')
  capReached: boolean;

  /** The payment that has signed and has no answer yet: until then no other signs. */
  @Column('text', { nullable: true })
  paying: string | null;

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

  /** While a grace period runs: when anybody may end it, by the chain's clock. */
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

  /** Until then somebody is at work on its settlement or its end. */
  @MomentColumn()
  leaseUntil: Date;
}
