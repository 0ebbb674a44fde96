import { Column, Entity } from 'typeorm';
import { CreatedAtColumn, IdColumn, MicroUsdcColumn, MomentColumn } from '#database';
import { Referenced } from '../lists/references';

/** The kinds of entries: money that moved, or a declined order. */
export const LEDGER_ENTRY_TYPES = ['transfer', 'session_settlement', 'rejection', 'deposit'] as const;

/** One entry of an account's ledger: money that moved, or a declined order. Written once, never changed. */
@Entity('ledger_entries')
export class LedgerEntry extends Referenced {
  @IdColumn()
  id: string;

  /** The operator of the account. */
  @Column('text')
  operatorId: string;

  @Column('text')
  accountId: string;

  @Column('text')
  type: (typeof LEDGER_ENTRY_TYPES)[number];

  @Column('text')
  direction: 'in' | 'out';

  @MicroUsdcColumn()
  microUsdc: bigint;

  /** The other account or address of the movement: an account id, or an address. */
  @Column('text', { nullable: true })
  counterparty: string | null;

  @Column('text', { nullable: true })
  memo: string | null;

  @Column('text', { nullable: true })
  category: string | null;

  @Column('text', { nullable: true })
  signature: string | null;

  /** The order that moved the money, or was declined. */
  @Column('text', { nullable: true })
  orderId: string | null;

  /** The transfer, if the order is one of the same operator. */
  @Column('text', { nullable: true })
  transferId: string | null;

  /** The payment that the order was made for. */
  @Column('text', { nullable: true })
  paymentId: string | null;

  /** The provider's origin, if a provider was paid. */
  @Column('text', { nullable: true })
  provider: string | null;

  @Column('text', { nullable: true })
  sessionId: string | null;

  /** The channel purse, if a payment channel out of it was settled. */
  @Column('text', { nullable: true })
  purseId: string | null;

  @Column('text', { nullable: true })
  rejectionReason: string | null;

  @CreatedAtColumn()
  createdAt: Date;

  @MomentColumn({ nullable: true })
  settledAt: Date | null;
}
