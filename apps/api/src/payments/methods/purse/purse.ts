import { setTimeout } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Chain } from '#chain';
import { type Purse, PurseKeys } from '../../../purses';
import { Failpoints } from '../../../runtime/failpoints';
import { type Answered, type Asked, type Funding, type PaymentMethod, type Step } from '../payment-method';
import type { Payment } from '../../payment.entity';
import { PaymentStore } from '../../payment.store';
import { Declined } from '../../payments.errors';
import { quoteX402, speaksX402, type X402Quote } from '../../quotes/x402';
import { notOpen, PurseBounds, quoteWithin } from './purse-bounds';
import { PursePaymentStore } from './purse-payment.store';
import { PurseSettlement } from './purse-settlement';
import { X402Transfers } from '../x402-transfers';
import { readAnswer } from '../x402-answer';

/**
 * Pays x402 sellers out of an open purse: the delegate of the purse signs each transfer, and no transaction of ours is needed. Several
 * payments go at once; one statement bounds them by the rest of the purse. A payment has one transfer, ever: a second one could land too.
 */
@Injectable()
export class PurseMethod implements PaymentMethod<X402Quote> {
  readonly name = 'purse';
  readonly protocol = 'x402';

  constructor(
    private readonly chain: Chain,
    private readonly keys: PurseKeys,
    private readonly bounds: PurseBounds,
    private readonly transfers: X402Transfers,
    private readonly settlement: PurseSettlement,
    private readonly store: PursePaymentStore,
    private readonly payments: PaymentStore,
    private readonly failpoints: Failpoints,
  ) {}

  isOffered(asked: Asked): boolean {
    return speaksX402(asked);
  }

  quote(asked: Asked, payment: Payment, { purse }: Funding): X402Quote {
    return quoteWithin(requirePurse(purse), asked, payment, (narrowed) =>
      quoteX402(narrowed, { identity: this.chain.identity, maxMicroUsdc: payment.maxMicroUsdc }),
    );
  }

  /** The offer of the seller, for a purse of any host and category. */
  priceOf(asked: Asked, { maxMicroUsdc }: Payment, { purse }: Funding): X402Quote {
    return {
      ...quoteX402({ ...asked, provider: null }, { identity: this.chain.identity, maxMicroUsdc }),
      category: requirePurse(purse).category,
    };
  }

  async check(payment: Payment, quote: X402Quote, funding: Funding): Promise<void> {
    const { account } = funding;
    await this.bounds.require(payment, quote, { account, purse: requirePurse(funding.purse) });
    await this.transfers.check(quote, account);
  }

  async authorize(payment: Payment, quote: X402Quote, funding: Funding): Promise<Payment> {
    const { account } = funding;
    const purse = requirePurse(funding.purse);
    await this.bounds.require(payment, quote, { account, purse });
    const credential = await this.credential(payment, quote, { account, purse });
    const authorized = await this.store.authorize(payment, purse, quote, credential);
    if (!authorized) throw await this.bounds.reasonAgainst(payment, quote, purse);
    this.failpoints.pass('purse.authorized');
    return authorized;
  }

  async conclude(payment: Payment, answered: Answered<X402Quote>): Promise<Step> {
    const read = readAnswer(answered);
    if (read.kind === 'again') {
      await setTimeout(read.pauseMs);
      return { payment, resend: true };
    }
    const { receipt, claimed, waitMs } = read;
    const { answer, funding } = answered;
    const source = funding?.purse ? { account: funding.account, purse: funding.purse } : undefined;
    return { payment: await this.settlement.answered(payment, { answer, receipt, claimed }, { source, waitMs }), resend: false };
  }

  /** The chain shows whether the agent used it. */
  async concludeUnseen(payment: Payment): Promise<Payment> {
    return payment;
  }

  /** Never resends: the chain shows the outcome. */
  async resume(payment: Payment): Promise<Step> {
    return { payment: (await this.settlement.advance(payment)) ?? (await this.payments.find(payment.id)), resend: false };
  }

  private async credential(payment: Payment, quote: X402Quote, { account, purse }: { account: Funding['account']; purse: Purse }) {
    try {
      return await this.transfers.credential(payment, quote, this.keys.of(purse), account);
    } catch (error) {
      // The transfer fails also if a pause or another process has ended the purse.
      if (error instanceof Declined) throw (await this.isOpenOnChain(purse, account)) ? error : notOpen(payment, purse.id, 'closing');
      throw error;
    }
  }

  private async isOpenOnChain({ seq }: Purse, { chainAddress, observedSlot }: Funding['account']): Promise<boolean> {
    const [onChain] = await this.chain.accounts.findMany([chainAddress], Number(observedSlot));
    return onChain?.openCharge?.seq === seq;
  }
}

function requirePurse(purse: Purse | null): Purse {
  if (!purse) throw new Error('a payment by purse needs a purse');
  return purse;
}
