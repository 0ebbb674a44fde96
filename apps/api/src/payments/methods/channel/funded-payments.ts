import { Injectable } from '@nestjs/common';
import { ChainUnavailableError, isAway } from '#chain';
import { ChainUnavailable } from '../../../http/domain.errors';
import { Failpoints } from '../../../runtime/failpoints';
import type { Funding } from '../payment-method';
import type { Payment } from '../../payment.entity';
import { PaymentStore } from '../../payment.store';
import { INTERRUPTED } from '../charge/charge-settlement';
import type { Source } from '../purse/purse-bounds';
import { ChannelFunding, type ChannelQuote } from './channel-funding';
import { ChannelPaymentStore } from './channel-payment.store';
import { ChannelSettlement } from './channel-settlement';

/** Payments out of channel purses that they fund for themselves. */
@Injectable()
export class FundedPayments {
  constructor(
    private readonly funding: ChannelFunding,
    private readonly settlement: ChannelSettlement,
    private readonly store: ChannelPaymentStore,
    private readonly payments: PaymentStore,
    private readonly failpoints: Failpoints,
  ) {}

  /**
   * The payment as it was paid before the database was restored, else as `authorize` stores it with a credential out of its new purse. The
   * purse is ended if `authorize` throws or stores nothing. @throws Declined, ChainUnavailable
   */
  async authorized(
    payment: Payment,
    quote: ChannelQuote,
    funding: Funding,
    authorize: (begun: Payment, source: Source) => Promise<Payment | undefined>,
  ): Promise<Payment> {
    const { account } = funding;
    const before = await this.funding.paidBefore(payment, account);
    if (before) return (await this.store.settleLost(payment, before, quote)) ?? this.payments.find(payment.id);
    const purseId = await this.funding.newId(payment);
    const begun = await this.store.begin(payment, purseId);
    if (!begun) throw new ChainUnavailableError(INTERRUPTED);
    try {
      const purse = await this.funding.fund(begun, purseId, quote, funding);
      this.failpoints.pass('channel.funded');
      const authorized = await authorize(begun, { account, purse });
      if (!authorized) throw new ChainUnavailableError(INTERRUPTED);
      return authorized;
    } catch (error) {
      await this.settlement.release(begun);
      if (isAway(error)) throw new ChainUnavailable();
      throw error;
    }
  }
}
