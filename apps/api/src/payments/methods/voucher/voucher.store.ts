import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { sql } from '#database';
import type { StoredViolation } from '../../../orders';
import { enter, leave, runTransition } from '../../../persistence/transition';
import { Clock } from '../../../runtime/clock';
import { type IssuedVoucher, type Session, SessionVouchers } from '../../../sessions';
import type { Payment, SealedAnswer } from '../../payment.entity';
import { PAYMENT_TRANSITIONS } from '../../payment.states';
import { answerColumns, type Authorized, payable, PaymentStore } from '../../payment.store';

const T = PAYMENT_TRANSITIONS;

/** The transitions of payments by voucher, each with its change of the session in one statement. */
@Injectable()
export class VoucherStore {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly clock: Clock,
    private readonly payments: PaymentStore,
    private readonly vouchers: SessionVouchers,
  ) {}

  /**
   * Stores an issued voucher in the payment and in the session, before it is sent. Undefined while another payment of the session has
   * no answer, and if the session is not as it was read: closed, or of another accepted amount.
   */
  async authorize(payment: Payment, session: Session, authorized: Authorized, voucher: IssuedVoucher): Promise<Payment | undefined> {
    const { cumulativeMicroUsdc } = voucher;
    const sentAt = this.clock.now();
    const row = await runTransition(
      this.database,
      sql`UPDATE payments SET ${enter(T.authorize)}, method = 'voucher', protocol = 'mpp', session_id = available.id,
                 micro_usdc = ${authorized.microUsdc.toString()}, payee = ${authorized.payee},
                 category = ${authorized.category}, challenge_id = ${authorized.challengeId},
                 credential_sealed = ${authorized.credentialSealed}, cumulative_micro_usdc = ${cumulativeMicroUsdc.toString()},
                 sent_at = ${sentAt}, lease_until = ${this.payments.leaseEnd()}
          FROM available WHERE payments.id = ${payment.id} AND ${leave(T.authorize)} RETURNING payments.id, session_id`,
      { before: sql`${payable(payment.id, leave(T.authorize))}, ${this.vouchers.voucherIssued(session, voucher)}` },
    );
    return (
      row &&
      Object.assign(payment, authorized, {
        status: 'unknown' as const,
        method: 'voucher' as const,
        protocol: 'mpp' as const,
        sessionId: session.id,
        cumulativeMicroUsdc,
        sentAt,
      })
    );
  }

  /** The provider accepted the voucher, or must be taken to have accepted it. */
  async accept(payment: Payment, answer: SealedAnswer | null, receipt: string | null): Promise<Payment | undefined> {
    const { id, operatorId, accountId, cumulativeMicroUsdc } = payment;
    const sessionId = payment.sessionId ?? '';
    const finalAt = this.clock.now();
    const transition = receipt === null ? T.acceptUnreceipted : T.accept;
    const row = await runTransition(
      this.database,
      sql`UPDATE payments SET ${enter(transition)}, receipt = ${receipt}, ${answerColumns(answer)}, final_at = ${finalAt}
          WHERE id = ${id} AND ${leave(transition)} RETURNING id, session_id`,
      {
        before: this.vouchers.beforeAcceptance(sessionId),
        companion: this.vouchers.voucherAccepted({ id: sessionId, operatorId, accountId }, cumulativeMicroUsdc ?? 0n),
      },
    );
    return (
      row &&
      Object.assign(payment, {
        status: transition.to,
        receipt,
        finalAt,
        responseStatus: answer?.status ?? null,
        responseSealed: answer?.sealed ?? null,
        responseBytes: answer?.bytes ?? null,
        responseTruncated: answer?.truncated ?? false,
      })
    );
  }

  /** The provider refused the voucher: the next one adds to what it accepted before, which `before` signs again. */
  refuse(payment: Payment, violation: StoredViolation, answer: SealedAnswer, before: IssuedVoucher): Promise<Payment | undefined> {
    return this.payments.reject(payment, T.refuse, violation, answer, this.vouchers.voucherRefused(before));
  }
}
