import { Injectable } from '@nestjs/common';
import { isId } from '#database';
import { covers, type Caller } from '../../http/caller';
import { NotFound } from '../../http/domain.errors';
import { Rejected } from '../../orders';
import type { LiveAnswer } from '../provider/live-answers';
import type { Payment } from '../payment.entity';
import { PaymentStore } from '../payment.store';
import { type PaymentView, paymentView } from './payment.views';
import { paymentFailureError } from '../payments.errors';
import { ProviderAnswers } from '../provider/provider-answers';

/** The answer to a request. A decline is thrown. */
export interface PaymentAnswer {
  status: 200 | 202;
  body: PaymentView;
  headers: Record<string, string>;
  /** The provider's answer with its body unread, in place of the body. */
  live?: LiveAnswer | undefined;
}

/** Finds payments and shows them. Changes nothing. */
@Injectable()
export class PaymentReader {
  constructor(
    private readonly store: PaymentStore,
    private readonly answers: ProviderAnswers,
  ) {}

  /** A payment of an account that the caller may see. @throws NotFound */
  async find(caller: Caller, id: string): Promise<Payment> {
    const payment = isId('pay', id) ? await this.store.findOf(caller.operatorId, id) : undefined;
    if (!payment || !covers(caller, payment.accountId)) throw new NotFound('There is no such payment.');
    return payment;
  }

  /** @throws NotFound */
  async show(caller: Caller, id: string): Promise<PaymentView> {
    return this.view(await this.find(caller, id));
  }

  view(payment: Payment): PaymentView {
    return paymentView(payment, this.answers.open(payment));
  }

  /** The answer to the request of a payment. @throws Rejected, or the error of its failure, with the headers. */
  answer(payment: Payment, headers: Record<string, string>): PaymentAnswer {
    const { status, failure, rejectionReason, violation } = payment;
    if (status === 'rejected') throw new Rejected({ payment_id: payment.id }, { reason: rejectionReason ?? '', violation }, headers);
    if (status === 'failed' && failure) throw paymentFailureError(payment, failure);
    return { status: status === 'unknown' || status === 'created' ? 202 : 200, body: this.view(payment), headers };
  }
}
