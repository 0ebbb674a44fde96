import { Injectable, Logger } from '@nestjs/common';
import { ChainUnavailableError } from '#chain';
import { EgressError } from '../egress/egress-client';
import { ChainUnavailable, DomainError } from '../http/domain.errors';
import { Providers } from '../providers';
import { Failpoints } from '../runtime/failpoints';
import { askedMicroUsdc } from './asked-amount';
import { Credentials } from './credentials';
import { PaymentMethods } from './methods/payment-methods';
import type { Asked, Authorization, Funding, PaymentMethod, Quote, Step } from './payment-method';
import type { Payment, PaymentFailure } from './payment.entity';
import { PaymentStore } from './payment.store';
import { AccountBusy, Declined, paymentFailureError } from './payments.errors';
import { type ProviderAnswer, ProviderClient, type ProviderRequest } from './provider-client';

const INTERRUPTED: PaymentFailure = {
  code: 'provider_unreachable',
  message: 'The service was interrupted before anything was signed. Repeat the request with the same key.',
};

/** Above every amount: a quote is shown also where it is above the caller's bound. */
const MAX_MICRO_USDC = (1n << 64n) - 1n;

/** A price, and the way to pay it. */
export interface QuotedMethod {
  method: PaymentMethod;
  quote: Quote;
}

/** What paying would lead to. Nothing chosen and nothing declined: the provider asks for nothing. */
export interface Forecast {
  /** Every price that was understood. */
  quotes: QuotedMethod[];
  chosen: QuotedMethod | null;
  declined: Declined | null;
}

/**
 * A payment from the first call of the provider to its end: fetch, check, authorize, send, conclude. A payment has at most one
 * credential, which is stored before it is sent and sent at most twice. An outcome that is not known is never paid again.
 */
@Injectable()
export class PaymentProcess {
  private readonly logger = new Logger('Payments');

  constructor(
    private readonly providers: Providers,
    private readonly client: ProviderClient,
    private readonly credentials: Credentials,
    private readonly methods: PaymentMethods,
    private readonly store: PaymentStore,
    private readonly failpoints: Failpoints,
  ) {}

  /** Calls the provider, and pays if it asks for a payment. */
  async pay(payment: Payment, request: ProviderRequest, funding: Funding): Promise<Payment> {
    const provider = this.providers.known(payment.operatorId, payment.provider);
    provider.catch(() => undefined); // awaited below, after the call
    let answer: ProviderAnswer;
    try {
      answer = await this.client.call(request);
    } catch (error) {
      if (!(error instanceof EgressError)) throw error;
      const message = `The provider gave no answer: ${error.message}. Nothing was paid.`;
      return this.stored(payment, this.store.fail(payment, { code: 'provider_unreachable', message }));
    }
    if (answer.status !== 402) return this.stored(payment, this.store.free(payment, answer));
    this.failpoints.pass('payment.asked');

    const asked = { ...askedBy(answer), body: bodyOf(request), hasAuthorization: hasAuthorization(request), provider: await provider };
    const { payment: authorized, release, method, quote } = await this.authorized(payment, asked, funding);
    try {
      return method ? await this.send(authorized, method, quote, request) : authorized;
    } finally {
      release();
    }
  }

  /**
   * What paying would lead to: makes the unpaid request, and checks the ways to pay in their order. Nothing is stored or signed.
   * @throws Rejected, and the other errors that paying would answer.
   */
  async dryRun(payment: Payment, request: ProviderRequest, funding: Funding): Promise<Forecast> {
    const provider = await this.providers.known(payment.operatorId, payment.provider);
    const answer = await this.client.call(request).catch((error: unknown) => {
      if (!(error instanceof EgressError)) throw error;
      throw paymentFailureError(null, {
        code: 'provider_unreachable',
        message: `The provider gave no answer: ${error.message}. Nothing was paid.`,
      });
    });
    if (answer.status !== 402) return { quotes: [], chosen: null, declined: null };
    const asked = { ...askedBy(answer), body: bodyOf(request), hasAuthorization: hasAuthorization(request), provider };
    const quotes = this.methods
      .offered(asked)
      .flatMap((method) => quoteIfAny(method, asked, { ...payment, maxMicroUsdc: MAX_MICRO_USDC }, funding));
    let declined: Declined | null = null;
    for (const { method, funding: used } of await this.methods.candidates(asked, payment, funding)) {
      try {
        const quote = method.quote(asked, payment, used);
        await method.check(payment, quote, used);
        return { quotes, chosen: { method, quote }, declined: null };
      } catch (error) {
        if (!(error instanceof Declined)) throw error;
        declined ??= error;
      }
    }
    return { quotes, chosen: null, declined };
  }

  /** Authorizes a payment for a 402 that the agent got itself. The agent sends the credential. */
  async authorize(payment: Payment, asked: Pick<Asked, 'challenges' | 'x402'>, funding: Funding): Promise<Payment> {
    const provider = await this.providers.known(payment.operatorId, payment.provider);
    const {
      payment: authorized,
      release,
      method,
    } = await this.authorized(payment, { ...asked, body: null, hasAuthorization: false, provider }, funding);
    try {
      return method ? await method.concludeUnseen(authorized) : authorized;
    } finally {
      release();
    }
  }

  /** Continues a payment after a crash or without an answer, from what is stored. */
  async resume(payment: Payment): Promise<Payment> {
    const method = this.methods.of(payment);
    if (!method) return this.stored(payment, this.store.fail(payment, INTERRUPTED));
    const { payment: resumed, resend } = await method.resume(payment);
    return resend ? this.send(resumed, method, null, this.client.open(resumed)) : resumed;
  }

  /**
   * Checks the 402 and stores a credential for it, by the first way that is not declined; or stores why not. `method` is undefined
   * where there is no credential to send.
   */
  private async authorized(
    payment: Payment,
    asked: Asked,
    funding: Funding,
  ): Promise<Authorization & { method?: PaymentMethod; quote: Quote | null }> {
    let declined: { error: Declined; quote: Quote | undefined } | undefined;
    for (const candidate of await this.methods.candidates(asked, payment, funding)) {
      let quote: Quote | undefined;
      try {
        quote = candidate.method.quote(asked, payment, candidate.funding);
        const authorization = await candidate.method.authorize(payment, quote, candidate.funding);
        const isStored = authorization.payment.status === 'unknown';
        return { ...authorization, quote, ...(isStored && { method: candidate.method }) };
      } catch (error) {
        if (!(error instanceof Declined)) return this.notAuthorized(payment, asked, quote, error);
        declined ??= { error, quote };
      }
    }
    return this.notAuthorized(payment, asked, declined?.quote, declined?.error);
  }

  private async notAuthorized(
    payment: Payment,
    asked: Asked,
    quote: Quote | undefined,
    error: unknown,
  ): Promise<Authorization & { quote: null }> {
    return { payment: await this.unpaid(payment, asked, quote, error), release: () => undefined, quote: null };
  }

  /** Stores why a payment was not authorized. @throws the error itself, where it is neither a decline nor a failure of a payment. */
  private async unpaid(payment: Payment, asked: Asked, quote: Quote | undefined, error: unknown): Promise<Payment> {
    if (error instanceof Declined) {
      const microUsdc = quote?.microUsdc ?? askedMicroUsdc(asked, error.violation);
      return this.stored(payment, this.store.decline({ ...payment, ...quote, microUsdc }, error.violation));
    }
    const failure = failureOf(error);
    if (failure) return this.stored(payment, this.store.fail(payment, failure));
    if (error instanceof DomainError) await this.store.fail(payment, { code: 'chain_unavailable', message: error.message });
    throw error;
  }

  /** Sends the credential, and stores what the answer means. A method may have it sent again, or another one of the same payment. */
  private async send(payment: Payment, method: PaymentMethod, quote: Quote | null, request: ProviderRequest): Promise<Payment> {
    let step: Step = { payment, resend: true };
    for (let sends = 1; step.resend; sends++) {
      const answer = await this.answerTo(step.payment, request);
      this.failpoints.pass('payment.answered');
      step = await method.conclude(step.payment, { answer, sends, quote });
    }
    this.failpoints.pass('payment.concluded');
    return step.payment;
  }

  /** The provider's answer to the credential; null where there is none. */
  private async answerTo(payment: Payment, request: ProviderRequest): Promise<ProviderAnswer | null> {
    try {
      return await this.client.call(request, this.credentials.open(payment));
    } catch (error) {
      if (!(error instanceof EgressError)) throw error;
      this.logger.warn(`${payment.id}: ${error.message}`);
      return null;
    }
  }

  /** The payment after a transition, or as another process stored it meanwhile. */
  private async stored(payment: Payment, transition: Promise<Payment | undefined>): Promise<Payment> {
    return (await transition) ?? this.store.find(payment.id);
  }
}

/** The failure of a payment that may be paid later. */
function failureOf(error: unknown): PaymentFailure | undefined {
  if (error instanceof ChainUnavailableError)
    return {
      code: 'chain_unavailable',
      message: 'The chain cannot be asked right now. Nothing was paid: repeat the request with the same key.',
    };
  if (error instanceof ChainUnavailable) return { code: 'chain_unavailable', message: error.message };
  return error instanceof AccountBusy ? { code: 'account_busy', message: error.message } : undefined;
}

function quoteIfAny(method: PaymentMethod, asked: Asked, payment: Payment, funding: Funding): QuotedMethod[] {
  try {
    return [{ method, quote: method.quote(asked, payment, funding) }];
  } catch (error) {
    if (error instanceof Declined) return [];
    throw error;
  }
}

function askedBy({ challenges, paymentRequired, body }: ProviderAnswer): Pick<Asked, 'challenges' | 'x402'> {
  return { challenges, x402: paymentRequired === null ? { body: body.toString() } : { header: paymentRequired } };
}

function bodyOf({ body }: ProviderRequest): Buffer | null {
  return body === null ? null : Buffer.from(body, 'base64');
}

function hasAuthorization({ headers }: ProviderRequest): boolean {
  return Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
}
