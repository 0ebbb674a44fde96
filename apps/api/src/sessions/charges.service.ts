import { Injectable } from '@nestjs/common';
import type { Account } from '../accounts/accounts.service';
import type { KeptAnswer } from './payment-book';
import type { Payment } from './payment.entity';
import { Declined } from './payments.errors';
import type { Quote } from './quote';

@Injectable()
export class ChargesService {
  promise(_payment: Payment, _account: Account, _quote: Quote): Promise<Payment> {
    throw Declined.because('unsupported_method', 'charges come with the next commit');
  }

  conclude(payment: Payment, _answer: KeptAnswer | null, _receipt: string | null): Promise<Payment> {
    return Promise.resolve(payment);
  }

  async resume(_payment: Payment): Promise<void> {}
}
