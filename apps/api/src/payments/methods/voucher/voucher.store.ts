import { Injectable } from '@nestjs/common';
import { sql } from '#database';
import type { StoredViolation } from '../../../orders';
import { enter, leave } from '../../../persistence/transition';
import { Clock } from '../../../runtime/clock';
import { type IssuedVoucher, type Session, SessionVouchers } from '../../../sessions';
import type { Payment, SealedAnswer } from '../../payment.entity';
import { PAYMENT_TRANSITIONS } from '../../payment.states';
import { answerColumns, payable } from '../../payment.sql';
import { type Authorized, PaymentStore } from '../../payment.store';

const T = PAYMENT_TRANSITIONS;

/** The transitions of payments by voucher, each with its change of the session in one statement. */
@Injectable()
export class VoucherStore {
  constructor(
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
    const row = await this.payments.authorizedRow(
      payment,
      sql`UPDATE payments SET ${this.payments.credentialColumns(authorized)}, method = 'voucher', protocol = 'mpp',
            session_id = available.id, cumulative_micro_usdc = ${cumulativeMicroUsdc.toString()}
          FROM available WHERE payments.id = ${payment.id} AND ${leave(T.authorize)} RETURNING payments.id, session_id, sent_at`,
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
        sentAt: row.sent_at as Date,
      })
    );
  }

  /** The provider accepted the voucher, or must be taken to have accepted it. */
  async accept(payment: Payment, answer: SealedAnswer | null, receipt: string | null): Promise<Payment | undefined> {
    const { id, operatorId, accountId, cumulativeMicroUsdc } = payment;
    const sessionId = payment.sessionId ?? '';
    const finalAt = this.clock.now();
    const transition = receipt === null ? T.acceptUnreceipted : T.accept;
    const row = await this.payments.movedRow(
      payment,
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
