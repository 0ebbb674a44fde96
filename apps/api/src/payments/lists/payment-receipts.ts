import { Injectable } from '@nestjs/common';
import { parseReceipt } from '#mpp';
import type { Caller } from '../../http/caller';
import { InvalidRequest } from '../../http/domain.errors';
import { SessionsService } from '../../sessions';
import type { Payment } from '../payment.entity';
import { PaymentReader } from './payment-reader';
import { PaymentStore } from '../payment.store';
import type { PaymentView } from './payment.views';
import { receiptFor, settledResponse } from '../provider/provider-client';

/** Receipts that agents report of the calls that they made themselves. */
@Injectable()
export class PaymentReceipts {
  constructor(
    private readonly reader: PaymentReader,
    private readonly sessions: SessionsService,
    private readonly store: PaymentStore,
  ) {}

  /** Records the receipt of a payment. @throws NotFound; InvalidRequest for a receipt that is not the payment's. */
  async note(caller: Caller, id: string, receipt: string): Promise<PaymentView> {
    const payment = await this.reader.find(caller, id);
    if (payment.protocol === 'x402') this.requireResponse(receipt);
    else await this.requireReceipt(caller, payment, receipt);
    return this.reader.view((await this.store.noteReceipt(payment, receipt)) ?? payment);
  }

  /** @throws InvalidRequest for anything but a PAYMENT-RESPONSE that says that a payment settled. */
  private requireResponse(receipt: string): void {
    if (settledResponse(receipt) === null) throw InvalidRequest.field('receipt', 'is no PAYMENT-RESPONSE of a settled payment');
  }

  /** @throws InvalidRequest for anything but a Payment-Receipt of this payment. */
  private async requireReceipt(caller: Caller, payment: Payment, receipt: string): Promise<void> {
    try {
      parseReceipt(receipt);
    } catch (error) {
      throw InvalidRequest.field('receipt', `is no Payment-Receipt: ${(error as Error).message}`);
    }
    const reference =
      payment.sessionId === null
        ? (payment.transactionSignature ?? payment.signature)
        : (await this.sessions.find(caller, payment.sessionId)).address;
    if (!receiptFor(payment, receipt, reference)) throw InvalidRequest.field('receipt', 'is the receipt of another payment');
  }
}
