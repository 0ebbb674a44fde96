import { Column, Entity } from 'typeorm';
import { CreatedAtColumn, IdColumn, MicroUsdcColumn, MomentColumn } from '#database';

/** One line of an account's history: money that moved, or a no. Written once, never changed. */
@Entity('records')
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

  /** The other side: an account id, or an address. */
  @Column('text', { nullable: true })
  counterparty: string | null;

  @Column('text', { nullable: true })
  memo: string | null;

  @Column('text', { nullable: true })
  category: string | null;

  @Column('text', { nullable: true })
  signature: string | null;

  @Column('text', { nullable: true })
  transferId: string | null;

  @Column('text', { nullable: true })
  sessionId: string | null;

  @Column('text', { nullable: true })
  rejectionReason: string | null;

  @CreatedAtColumn()
  createdAt: Date;

  @MomentColumn({ nullable: true })
  settledAt: Date | null;
}
