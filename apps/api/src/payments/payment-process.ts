import { Injectable, Logger } from '@nestjs/common';
import { ChainUnavailableError } from '#chain';
import { EgressError } from '../egress/egress-client';
import { ChainUnavailable, DomainError } from '../http/domain.errors';
import { Providers } from '../providers';
import { Failpoints } from '../runtime/failpoints';
import { Credentials } from './credentials';
import { PaymentMethods } from './methods/payment-methods';
import type { Asked, Authorization, Funding, PaymentMethod, Quote } from './payment-method';
import type { Payment, PaymentFailure } from './payment.entity';
import { PaymentStore } from './payment.store';
import { AccountBusy, Declined } from './payments.errors';
import { type ProviderAnswer, ProviderClient, type ProviderRequest } from './provider-client';

const INTERRUPTED: PaymentFailure = {
  code: 'provider_unreachable',
  message: 'The service was interrupted before anything was promised. Repeat the request with the same key.',
};

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

    const method = this.methods.for(funding);
    const asked = {
      challenges: answer.challenges,
      body: bodyOf(request),
      hasAuthorization: hasAuthorization(request),
      provider: await provider,
    };
    const { payment: authorized, release } = await this.authorized(payment, method, asked, funding);
    try {
      return authorized.status === 'unknown' ? await this.send(authorized, method, request) : authorized;
    } finally {
      release();
    }
  }

  /** Authorizes a payment for a 402 that the agent got itself. The agent sends the credential. */
  async authorize(payment: Payment, challenges: readonly string[], funding: Funding): Promise<Payment> {
    const provider = await this.providers.known(payment.operatorId, payment.provider);
    const method = this.methods.for(funding);
    const { payment: authorized, release } = await this.authorized(
      payment,
      method,
      { challenges, body: null, hasAuthorization: false, provider },
      funding,
    );
    try {
      return authorized.status === 'unknown' ? await method.concludeUnseen(authorized) : authorized;
    } finally {
      release();
    }
  }

  /** Continues a payment after a crash or without an answer, from what is stored. */
  async resume(payment: Payment): Promise<Payment> {
    if (payment.method === null) return this.stored(payment, this.store.fail(payment, INTERRUPTED));
    const method = this.methods.named(payment.method);
    const { payment: resumed, resend } = await method.resume(payment);
    return resend ? this.send(resumed, method, this.client.open(resumed)) : resumed;
  }

  /** Checks the 402 and stores a credential for it; or stores why not. */
  private async authorized(payment: Payment, method: PaymentMethod, asked: Asked, funding: Funding): Promise<Authorization> {
    let quote: Quote | undefined;
    try {
      quote = method.quote(asked, payment, funding);
      return await method.authorize(payment, quote, funding);
    } catch (error) {
      return { payment: await this.unpaid(payment, quote, error), release: () => undefined };
    }
  }

  /** Stores why a payment was not authorized. @throws the error itself, where it is neither a decline nor a failure of a payment. */
  private async unpaid(payment: Payment, quote: Quote | undefined, error: unknown): Promise<Payment> {
    if (error instanceof Declined) return this.stored(payment, this.store.decline({ ...payment, ...quote }, error.violation));
    const failure = failureOf(error);
    if (failure) return this.stored(payment, this.store.fail(payment, failure));
    if (error instanceof DomainError) await this.store.fail(payment, { code: 'chain_unavailable', message: error.message });
    throw error;
  }

  /** Sends the credential, and stores what the answer means. */
  private async send(payment: Payment, method: PaymentMethod, request: ProviderRequest): Promise<Payment> {
    let answer: ProviderAnswer | null = null;
    try {
      answer = await this.client.call(request, this.credentials.open(payment));
    } catch (error) {
      if (!(error instanceof EgressError)) throw error;
      this.logger.warn(`${payment.id}: ${error.message}`);
    }
    this.failpoints.pass('payment.answered');
    const concluded = await method.conclude(payment, answer);
    this.failpoints.pass('payment.concluded');
    return concluded;
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

function bodyOf({ body }: ProviderRequest): Buffer | null {
  return body === null ? null : Buffer.from(body, 'base64');
}

function hasAuthorization({ headers }: ProviderRequest): boolean {
  return Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
}
