import { Injectable } from '@nestjs/common';
import type { StoredViolation } from '../../orders';
import { AllowedHosts } from '../../providers';
import { type Candidate, PaymentMethods } from '../methods/payment-methods';
import type { Payment } from '../payment.entity';
import type { PaymentLock } from '../methods/payment-lock';
import type { Asked, Funding, PaymentMethod, Quote } from '../methods/payment-method';
import { Declined } from '../payments.errors';

/** Above every amount: a quote is shown also if it is above the caller's bound. */
const MAX_MICRO_USDC = (1n << 64n) - 1n;

/** A price, and the way to pay it. */
export interface QuotedMethod {
  method: PaymentMethod;
  quote: Quote;
  isChosen: boolean;
  /** Why a purse does not pay. */
  declined: Declined | null;
}

/** A way to pay that was tried. */
interface Attempt {
  candidate: Candidate;
  /** Undefined if the method does not take the price. */
  quote: Quote | undefined;
  error: unknown;
}

/** The first candidate that was not declined, or what to answer. */
type Decision<R> = { candidates: readonly Candidate[]; declines: readonly Attempt[] } & (
  | { chosen: Candidate & { quote: Quote; result: R } }
  | { failed: Attempt }
);

/** Decides whether a 402 is paid, and by which way. */
@Injectable()
export class PaymentDecisions {
  constructor(
    private readonly methods: PaymentMethods,
    private readonly hosts: AllowedHosts,
  ) {}

  /** The decline of a payment's host. Before every other rule, and before any request leaves. */
  barred({ provider }: Payment, { account, caller }: Funding): StoredViolation | undefined {
    return this.hosts.violation(account, caller, provider);
  }

  /** Stores a credential by the first way that is not declined. A way that fails gives up `lock`. */
  authorize(payment: Payment, asked: Asked, funding: Funding, lock: PaymentLock): Promise<Decision<Payment>> {
    return this.decide(payment, asked, funding, async ({ method, funding: used }, quote) => {
      try {
        return await method.authorize(payment, quote, used, lock);
      } catch (error) {
        lock.release();
        throw error;
      }
    });
  }

  /** The decision that `authorize` would make. Nothing is stored or signed. */
  check(payment: Payment, asked: Asked, funding: Funding): Promise<Decision<void>> {
    return this.decide(payment, asked, funding, ({ method, funding: used }, quote) => method.check(payment, quote, used));
  }

  /** Every price of a 402 that is understood, and the error of a payment that would not be made; null if it would. */
  async forecast(payment: Payment, asked: Asked, funding: Funding): Promise<{ quotes: QuotedMethod[]; error: unknown }> {
    const decision = await this.check(payment, asked, funding);
    const { candidates } = decision;
    const others = this.methods.offered(asked).filter((method) => !candidates.some((each) => each.method === method));
    const unbounded = { ...payment, maxMicroUsdc: MAX_MICRO_USDC };
    const ways = [...candidates, ...others.map((method) => ({ method, funding }))];
    const quotes = ways.flatMap((way) => quoted(way, asked, unbounded, decision));
    return { quotes, error: 'failed' in decision ? decision.failed.error : null };
  }

  /**
   * Tries the ways to pay in their order. A decline passes a way over; the first is the answer if every way is declined. Any other
   * error ends the search.
   */
  private async decide<R>(
    payment: Payment,
    asked: Asked,
    funding: Funding,
    attempt: (candidate: Candidate, quote: Quote) => Promise<R>,
  ): Promise<Decision<R>> {
    const candidates = await this.methods.candidates(asked, payment, funding);
    const declines: Attempt[] = [];
    for (const candidate of candidates) {
      let quote: Quote | undefined;
      try {
        requireGenuine(asked);
        quote = candidate.method.quote(asked, payment, candidate.funding);
        return { candidates, declines, chosen: { ...candidate, quote, result: await attempt(candidate, quote) } };
      } catch (error) {
        if (!(error instanceof Declined)) return { candidates, declines, failed: { candidate, quote, error } };
        declines.push({ candidate, quote, error });
      }
    }
    const [failed] = declines;
    if (!failed) throw new Error('a 402 has at least one way to pay');
    return { candidates, declines, failed };
  }
}

/** @throws Declined if the database was written to directly: the provider's record is not the operator's. */
function requireGenuine({ provider }: Asked): void {
  if (provider?.isGenuine !== false) return;
  throw Declined.because(
    'recipient_mismatch',
    'The pin of this provider was changed outside of the service: an operator must pin it again.',
  );
}

/** The price of a way to pay, whether or not it is chosen. None if the method takes no price of the 402. */
function quoted(way: Candidate, asked: Asked, unbounded: Payment, decision: Decision<unknown>): QuotedMethod[] {
  const { method, funding } = way;
  if ('chosen' in decision && decision.chosen.method === method && decision.chosen.funding === funding)
    return [{ method, quote: decision.chosen.quote, isChosen: true, declined: null }];
  try {
    const quote = (method.priceOf ?? method.quote).call(method, asked, unbounded, funding);
    const error = funding.purse && decision.declines.find(({ candidate }) => candidate === way)?.error;
    return [{ method, quote, isChosen: false, declined: error instanceof Declined ? error : null }];
  } catch (error) {
    if (error instanceof Declined) return [];
    throw error;
  }
}
