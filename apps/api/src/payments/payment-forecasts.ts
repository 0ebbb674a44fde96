import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Chain, ChainUnavailableError } from '#chain';
import { newId } from '#database';
import type { Account } from '../accounts';
import type { Caller } from '../http/caller';
import { ChainUnavailable } from '../http/domain.errors';
import { Clock } from '../runtime/clock';
import { Payment, type PaymentMethodName, type PaymentProtocol } from './payment.entity';
import type { Asked, Quote } from './payment-method';
import { PaymentProcess } from './payment-process';
import { Declined } from './payments.errors';
import { quoteCharge } from './quotes/mpp';
import { quoteUpto } from './quotes/upto';
import { quoteX402 } from './quotes/x402';

/** What a provider's 402 would ask for. */
export type Demand = Pick<Asked, 'challenges' | 'x402'>;

/** How a payment would be made. */
export interface WayToPay {
  protocol: PaymentProtocol;
  method: PaymentMethodName;
  microUsdc: bigint;
  category: string | null;
}

/** What paying would lead to, at providers that are not called. */
@Injectable()
export class PaymentForecasts {
  constructor(
    private readonly chain: Chain,
    private readonly clock: Clock,
    private readonly process: PaymentProcess,
  ) {}

  /** The lowest price, or maximum, of a demand on this chain, in micro-USDC; undefined where it has none within the bound. Asks no chain. */
  priceOf({ challenges, x402 }: Demand, url: string, maxMicroUsdc: bigint): bigint | undefined {
    if (!URL.canParse(url)) return undefined;
    const asked = { challenges, x402, body: null, hasAuthorization: false, provider: null };
    const terms = { now: this.clock.now(), identity: this.chain.identity, maxMicroUsdc };
    const quotes = x402 === null ? [quoteCharge] : [quoteX402, quoteUpto];
    const prices = quotes.flatMap((quote) => priceIfPayable(() => quote(asked, terms)) ?? []);
    return prices.reduce<bigint | undefined>((least, price) => (least === undefined || price < least ? price : least), undefined);
  }

  /** The way by which an account would pay a demand now; undefined where it would not. Nothing is stored, signed or sent. @throws ChainUnavailable */
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
      const way = await this.process.wayTo(draft, demand, { caller, account, session: null, purse: null, openSession: null });
      if (!way) return undefined;
      const { method, quote } = way;
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
