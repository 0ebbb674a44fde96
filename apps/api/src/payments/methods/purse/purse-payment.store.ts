import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { execute, sql } from '#database';
import { OutboxService } from '../../../events';
import { LedgerService } from '../../../ledger';
import type { StoredViolation } from '../../../orders';
import { leave } from '../../../persistence/transition';
import { type Purse, paymentCommitted, paymentLanded, paymentReleased, paymentReversed } from '../../../purses';
import { Clock } from '../../../runtime/clock';
import type { Payment } from '../../payment.entity';
import type { Quote } from '../payment-method';
import { PAYMENT_TRANSITIONS } from '../../payment.states';
import { paidBy, payable } from '../../payment.sql';
import { PaymentStore } from '../../payment.store';
import { paidEffects } from '../charge/charge-order';

const T = PAYMENT_TRANSITIONS;

/** A credential out of a purse, and how the landing of its transfer will be found. */
export interface PurseCredential {
  credentialSealed: string;
  delegateSignature: string;
  lastValidBlockHeight: number;
}

/** The transitions of payments out of purses, each with the change of its purse. */
@Injectable()
export class PursePaymentStore {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly clock: Clock,
    private readonly outbox: OutboxService,
    private readonly ledger: LedgerService,
    private readonly payments: PaymentStore,
  ) {}

  /** Commits the amount and stores the credential before it is sent. Undefined if the purse is not open or has not that much left. */
  authorize(
    payment: Payment,
    purse: Purse,
    quote: Quote,
    { credentialSealed, delegateSignature, lastValidBlockHeight }: PurseCredential,
  ): Promise<Payment | undefined> {
    const { id } = payment;
    return this.payments.authorize(
      payment,
      sql`UPDATE payments SET ${this.payments.credentialColumns({ ...quote, credentialSealed })}, method = 'purse', protocol = 'x402',
            purse_id = available.id, delegate_signature = ${delegateSignature}, last_valid_block_height = ${lastValidBlockHeight}
          FROM available WHERE payments.id = ${id} AND ${leave(T.authorize)} RETURNING payments.*`,
      { before: sql`${payable(id, leave(T.authorize))}, ${paymentCommitted(purse.id, quote.microUsdc)}` },
    );
  }

  /** The chain shows the payment's transfer; without a signature, that it was made. The receipt may have been stored before. */
  settle(
    payment: Payment,
    purse: Purse,
    { signature, slot, microUsdc }: { signature: string | null; slot: number | null; microUsdc: bigint },
  ): Promise<Payment | undefined> {
    const { id } = payment;
    const settledAt = this.clock.now();
    const { event, entries } = paidEffects(payment, { payment, outOf: purse.id, microUsdc, signature, settledAt });
    return this.payments.transition(
      payment,
      sql`UPDATE payments SET status = CASE WHEN receipt IS NULL THEN 'paid_unreceipted' ELSE 'paid' END, signature = ${signature},
          landed_slot = ${slot},
          final_at = ${settledAt}
          FROM purse WHERE payments.id = ${id} AND payments.purse_id = purse.id AND status = 'unknown' RETURNING payments.*`,
      {
        before: sql`${payable(id, sql`status = 'unknown'`)}, ${paymentLanded(purse.id)}`,
        event: this.outbox.row(event),
        entries: this.ledger.rows(entries),
      },
    );
  }

  /** The payment's transfer did not land and never can: its amount is free again. */
  refuse(payment: Payment, violation: StoredViolation): Promise<Payment | undefined> {
    return this.payments.reject(payment, T.refuse, violation, null, paymentReleased());
  }

  /** The chain went back behind the payment: it is not spent, and stays committed while it may land again. */
  reverse(payment: Payment): Promise<Payment | undefined> {
    const before = sql`${payable(payment.id, paidBy(payment))}, ${paymentReversed(payment.purseId ?? '')}`;
    return this.payments.reverse(payment, { before, from: sql`FROM purse` });
  }

  /** The amount that the payments out of a purse are recorded to have moved, in micro-USDC. */
  async paidOut(purseId: string): Promise<bigint> {
    const [row] = await execute(
      this.database,
      sql`SELECT COALESCE(sum(micro_usdc), 0) AS paid FROM payments WHERE purse_id = ${purseId} AND status IN ('paid', 'paid_unreceipted')`,
    );
    return BigInt(String(row?.paid));
  }

  /** Whether a process waits for the provider's answer to a payment of a purse. */
  async areInFlight(purseId: string): Promise<boolean> {
    const rows = await execute(
      this.database,
      sql`SELECT 1 FROM payments WHERE purse_id = ${purseId} AND status = 'unknown' AND mode = 'pay' AND lease_until > ${this.clock.now()}
          LIMIT 1`,
    );
    return rows.length > 0;
  }

  /** The payments of a purse whose outcome is not known. */
  unknown(purseId: string): Promise<Payment[]> {
    return this.payments.read(sql`SELECT * FROM payments WHERE purse_id = ${purseId} AND status = 'unknown' ORDER BY id`);
  }

  /** The signatures of the transactions that payments of a purse landed by. */
  async signatures(purseId: string): Promise<Set<string>> {
    const rows = await execute(
      this.database,
      sql`SELECT signature FROM payments WHERE purse_id = ${purseId} AND status IN ('paid', 'paid_unreceipted') AND signature IS NOT NULL`,
    );
    return new Set(rows.map(({ signature }) => String(signature)));
  }
}
