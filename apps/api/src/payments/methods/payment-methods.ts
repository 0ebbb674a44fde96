import { Injectable } from '@nestjs/common';
import type { PaymentMethodName } from '../payment.entity';
import type { Funding, PaymentMethod } from '../payment-method';
import { ChargeMethod } from './charge';
import { VoucherMethod } from './voucher';

/** Every way to pay, and the choice among them. */
@Injectable()
export class PaymentMethods {
  private readonly methods: Record<PaymentMethodName, PaymentMethod>;

  constructor(voucher: VoucherMethod, charge: ChargeMethod) {
    this.methods = { voucher, charge };
  }

  /** The method that pays a request: a voucher where it names a session or opens one, else a charge. */
  for({ session, openSession }: Funding): PaymentMethod {
    return session !== null || openSession !== null ? this.methods.voucher : this.methods.charge;
  }

  named(name: PaymentMethodName): PaymentMethod {
    return this.methods[name];
  }
}
