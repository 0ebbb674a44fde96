import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { execute, type Sql, sql } from '#database';
import type { NewLedgerEntry } from '../../../ledger';
import type { Order, StoredViolation } from '../../../orders';
import { enter, leave, type Transition } from '../../../persistence/transition';
import { Clock } from '../../../runtime/clock';
import type { Payment } from '../../payment.entity';
import type { Quote } from '../payment-method';
import { PAYMENT_TRANSITIONS, type PaymentStatus } from '../../payment.states';
import { PaymentStore } from '../../payment.store';

const T = PAYMENT_TRANSITIONS;
const from = (transition: Transition<PaymentStatus>): Sql => leave(transition, 'payments.status');

/** The SQL of payments by direct transfer: parts of the transitions of their orders, whose rows are `moved`. */
@Injectable()
export class TransferStore {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly clock: Clock,
    private readonly payments: PaymentStore,
  ) {}

  /** The payment of one of these orders; undefined if there is none. */
  async ofOrder(orderIds: string[]): Promise<Payment | undefined> {
    const [payment] = await this.payments.read(sql`SELECT * FROM payments WHERE order_id = ANY(${orderIds})`);
    return payment;
  }

  /** Stores the credential in the same statement as the order, before it is sent. */
  authorizing(
    { id }: Payment,
    quote: Quote,
    { credentialSealed, lastValidBlockHeight }: { credentialSealed: string; lastValidBlockHeight: number },
  ): Sql {
    return sql`UPDATE payments SET ${this.payments.credentialColumns({ ...quote, credentialSealed })}, method = 'transfer', protocol = 'x402',
        order_id = moved.id, last_valid_block_height = ${lastValidBlockHeight}
      FROM moved WHERE payments.id = ${id} AND ${from(T.authorize)}`;
  }

  /** The transfer landed, whatever the row says: a charge that was to take its nonce over paid nothing. */
  settling({ id }: Payment, { signature, slot }: { signature: string | null; slot: number }, settledAt: Date): Sql[] {
    const paid = sql`UPDATE payments SET status = CASE WHEN receipt IS NULL THEN 'paid_unreceipted' ELSE 'paid' END, method = 'transfer',
        order_id = moved.id, signature = ${signature}, landed_slot = ${slot}, final_at = ${settledAt}, failure = NULL
      FROM moved WHERE payments.id = ${id} AND ${from(T.settle)}`;
    return [paid, sql`DELETE FROM open_charges WHERE payment_id = ${id}`];
  }

  /** The transfer can no longer land. */
  rejecting(payment: Payment, violation: StoredViolation): { companion: Sql[]; entries: NewLedgerEntry[] } {
    const { set, entry } = this.payments.rejection(payment, violation);
    const rejected = sql`UPDATE payments SET ${enter(T.refuse)}, ${set} FROM moved
      WHERE payments.id = ${payment.id} AND ${from(T.refuse)} AND payments.order_id = moved.id`;
    return { companion: [rejected, sql`DELETE FROM open_charges WHERE payment_id = ${payment.id}`], entries: [entry] };
  }

  /** The finalized chain does not have the transfer: it may land again. */
  reversing({ id }: Payment): Sql {
    const now = this.clock.now();
    return sql`UPDATE payments SET ${enter(T.reverse)}, signature = NULL, landed_slot = NULL, final_at = NULL, reversed_at = ${now}, lease_until = ${now}
      FROM moved WHERE payments.id = ${id} AND ${from(T.reverse)}`;
  }

  /** The payment was made before the database was restored, by an order that was backfilled with its record. */
  async settleLost({ id }: Payment, { microUsdc, payee, category }: Quote, order: Order): Promise<void> {
    await execute(
      this.database,
      sql`UPDATE payments SET ${enter(T.settleUnreceipted)}, method = 'transfer', protocol = 'x402', order_id = ${order.id},
            signature = ${order.signature}, micro_usdc = ${microUsdc.toString()}, payee = ${payee}, category = ${category},
            final_at = ${this.clock.now()}
          WHERE id = ${id} AND ${from(T.authorize)}`,
    );
  }
}
