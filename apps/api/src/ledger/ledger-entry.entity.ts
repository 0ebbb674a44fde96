import { Column, Entity } from 'typeorm';
import { CreatedAtColumn, IdColumn, MicroUsdcColumn, MomentColumn } from '#database';

/** One entry of an account's ledger: money that moved, or a declined order. Written once, never changed. */
@Entity('ledger_entries')
export class LedgerEntry {
  @IdColumn()
  id: string;

  @Column('text')
  accountId: string;

  @Column('text')
  type: 'transfer' | 'session_settlement' | 'rejection' | 'deposit';

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

  /** The payment that the order was made for. */
  @Column('text', { nullable: true })
  paymentId: string | null;

  /** The provider's origin, where a provider was paid. */
  @Column('text', { nullable: true })
  provider: string | null;

  @Column('text', { nullable: true })
  sessionId: string | null;

  @Column('text', { nullable: true })
  rejectionReason: string | null;

  @CreatedAtColumn()
  createdAt: Date;

  @MomentColumn({ nullable: true })
  settledAt: Date | null;
}
