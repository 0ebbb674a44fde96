import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Chain, ChainUnavailableError } from '#chain';
import { newId } from '#database';
import type { Account } from '../../accounts';
import type { Caller } from '../../http/caller';
import { ChainUnavailable } from '../../http/domain.errors';
import { Providers } from '../../providers';
import { Clock } from '../../runtime/clock';
import { askedUnseen, type Demand } from '../provider/demands';
import { Payment, type PaymentMethodName, type PaymentProtocol } from '../payment.entity';
import { PaymentDecisions } from './payment-decisions';
import type { Quote } from '../methods/payment-method';
import { AccountBusy, Declined } from '../payments.errors';
import { quoteCharge } from '../quotes/mpp';
import { quoteUpto } from '../quotes/upto';
import { quoteX402 } from '../quotes/x402';

/** How a payment would be made. */
export interface WayToPay {
  protocol: PaymentProtocol;
  method: PaymentMethodName;
  microUsdc: bigint;
  category: string | null;
}

/** Predictions of payments, without a call to the provider. */
@Injectable()
export class PaymentForecasts {
  constructor(
    private readonly chain: Chain,
    private readonly clock: Clock,
    private readonly providers: Providers,
    private readonly decisions: PaymentDecisions,
  ) {}

  /** The lowest price, or maximum, of a demand on this chain, in micro-USDC; undefined if it has none within the bound. Asks no chain. */
  priceOf(demand: Demand, url: string, maxMicroUsdc: bigint): bigint | undefined {
    if (!URL.canParse(url)) return undefined;
    const asked = askedUnseen(demand, null);
    const terms = { now: this.clock.now(), identity: this.chain.identity, maxMicroUsdc };
    const quotes = demand.x402 === null ? [quoteCharge] : [quoteX402, quoteUpto];
    const prices = quotes.flatMap((quote) => priceIfPayable(() => quote(asked, terms)) ?? []);
    return prices.reduce<bigint | undefined>((least, price) => (least === undefined || price < least ? price : least), undefined);
  }

  /** The way by which an account would pay a demand now; undefined if it would not. Nothing is stored, signed or sent. @throws ChainUnavailable */
  async wayTo({
    caller,
    account,
    url,
    demand,
    maxMicroUsdc,
  }: {
    caller: Caller;
    account: Account;
    url: string;
    demand: Demand;
    maxMicroUsdc: bigint;
  }): Promise<WayToPay | undefined> {
    const createdAt = this.clock.now();
    const draft = Object.assign(new Payment(), {
      id: newId('pay', createdAt),
      operatorId: caller.operatorId,
      accountId: account.id,
      sessionId: null,
      purseId: null,
      idempotencyKey: randomUUID(),
      mode: 'authorize' as const,
      maxMicroUsdc,
      provider: new URL(url).origin,
      createdAt,
    });
    try {
      const funding = { caller, account, session: null, purse: null, openSession: null };
      if (this.decisions.barred(draft, funding)) return undefined;
      const provider = await this.providers.known(draft.operatorId, draft.provider);
      const decision = await this.decisions.check(draft, askedUnseen(demand, provider), funding);
      if ('failed' in decision) {
        const { error } = decision.failed;
        if (error instanceof Declined || error instanceof AccountBusy) return undefined;
        throw error;
      }
      const { method, quote } = decision.chosen;
      return { protocol: method.protocol, method: method.name, microUsdc: quote.microUsdc, category: quote.category };
    } catch (error) {
      throw error instanceof ChainUnavailableError ? new ChainUnavailable() : error;
    }
  }
}

/** The price in micro-USDC; undefined if it is declined. */
function priceIfPayable(quote: () => Quote): bigint | undefined {
  try {
    return quote().microUsdc;
  } catch (error) {
    if (error instanceof Declined) return undefined;
    throw error;
  }
}
