import { Injectable, Logger } from '@nestjs/common';
import { ChainUnavailableError } from '#chain';
import { PAYMENT_REQUIRED_HEADER } from '#x402';
import { EgressError } from '../egress/egress-client';
import { ChainUnavailable, DomainError } from '../http/domain.errors';
import type { StoredViolation } from '../orders';
import { AllowedHosts, limitsOf, Providers } from '../providers';
import { Config } from '../runtime/config';
import { Failpoints } from '../runtime/failpoints';
import { askedMicroUsdc } from './asked-amount';
import { Credentials } from './credentials';
import { type Candidate, PaymentMethods } from './methods/payment-methods';
import type { Asked, Authorization, Funding, KeptAnswer, PaymentMethod, Quote, Step } from './payment-method';
import { EvidenceSeals } from './evidence/evidence-seals';
import { EvidenceStore } from './evidence/evidence.store';
import type { Answer, Payment, PaymentFailure } from './payment.entity';
import { PaymentStore } from './payment.store';
import { AccountBusy, Declined, paymentFailureError } from './payments.errors';
import { ProviderAnswers } from './provider-answers';
import { type ProviderAnswer, ProviderClient, type ProviderRequest, type Reading } from './provider-client';

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
  isChosen: boolean;
  /** Why a purse does not pay. */
  declined: Declined | null;
}

/** The outcome that paying would have. */
export interface Forecast {
  /** Every price that was understood. */
  quotes: QuotedMethod[];
  /** The HTTP status of a provider that asks for nothing; null where it asks for a payment, or was not called. */
  freeStatus: number | null;
  /** Why it would not be paid: a decline, or another error. Null where it would be. */
  error: unknown;
}

/** A way to pay that was tried. */
interface Attempt {
  candidate: Candidate;
  /** Undefined where the method does not take the price. */
  quote: Quote | undefined;
  error: unknown;
}

/** A stored credential on its way to the provider. */
interface Sending {
  method: PaymentMethod;
  /** Null after a crash. */
  quote: Quote | null;
  /** Null after a crash. */
  funding: Funding | null;
  request: ProviderRequest;
  reading: Reading;
}

/** The first candidate that was not declined, or what to answer. */
type Decision<R> = { declines: Attempt[] } & ({ chosen: Candidate & { quote: Quote; result: R } } | { failed: Attempt });

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
    private readonly answers: ProviderAnswers,
    private readonly config: Config,
    private readonly credentials: Credentials,
    private readonly methods: PaymentMethods,
    private readonly store: PaymentStore,
    private readonly failpoints: Failpoints,
    private readonly hosts: AllowedHosts,
    private readonly evidence: EvidenceStore,
    private readonly seals: EvidenceSeals,
  ) {}

  /**
   * Calls the provider, and pays if it asks for a payment. With `isLive` the returned payment has the answer of a provider that served it
   * with its body unread: the caller reads or closes it.
   */
  async pay(payment: Payment, request: ProviderRequest, funding: Funding, isLive = false): Promise<Payment> {
    const barred = this.barred(payment, funding);
    if (barred) return this.declinedUnseen({ ...payment, microUsdc: 0n }, barred, funding);
    const provider = await this.providers.known(payment.operatorId, payment.provider);
    const reading = { ...limitsOf(provider), isLive };
    let answer: ProviderAnswer;
    try {
      answer = await this.client.call(request, reading);
    } catch (error) {
      if (!(error instanceof EgressError)) throw error;
      const message = `The provider gave no answer: ${error.message}. Nothing was paid.`;
      return this.stored(payment, this.store.fail(payment, { code: 'provider_unreachable', message }));
    }
    if (answer.status !== 402) return closedIfFailed(answer, this.free(payment, answer));
    this.failpoints.pass('payment.asked');

    const asked = { ...askedBy(answer), body: bodyOf(request), hasAuthorization: hasAuthorization(request), provider };
    const kept = this.keptDemand(payment, answer, funding);
    const { payment: authorized, release, method, quote } = await this.authorized(payment, asked, funding);
    try {
      await kept;
      return method ? await this.send(authorized, { method, quote, funding, request, reading }) : authorized;
    } finally {
      release();
    }
  }

  /** Stores the answer of a provider that asks for nothing. */
  private async free(payment: Payment, answer: ProviderAnswer): Promise<Payment> {
    const kept = await this.answers.seal(payment, answer, { maxBytes: this.config.FREE_ANSWER_BYTES });
    return Object.assign(await this.stored(payment, this.store.free(payment, kept)), { answer });
  }

  /**
   * The outcome that paying would have: makes the unpaid request, and checks the ways to pay in their order. Nothing is stored or signed.
   * @throws DomainError where the provider gives no answer.
   */
  async dryRun(payment: Payment, request: ProviderRequest, funding: Funding): Promise<Forecast> {
    const barred = this.barred(payment, funding);
    if (barred) return { quotes: [], freeStatus: null, error: new Declined(barred) };
    const provider = await this.providers.known(payment.operatorId, payment.provider);
    const answer = await this.client.call(request, { ...limitsOf(provider), isLive: false }).catch((error: unknown) => {
      if (!(error instanceof EgressError)) throw error;
      throw paymentFailureError(null, {
        code: 'provider_unreachable',
        message: `The provider gave no answer: ${error.message}. Nothing was paid.`,
      });
    });
    if (answer.status !== 402) return { quotes: [], freeStatus: answer.status, error: null };
    const asked = { ...askedBy(answer), body: bodyOf(request), hasAuthorization: hasAuthorization(request), provider };
    const candidates = await this.methods.candidates(asked, payment, funding);
    const decision = await this.decide(asked, payment, candidates, ({ method, funding: used }, quote) =>
      method.check(payment, quote, used),
    );
    const others = this.methods.offered(asked).filter((method) => !candidates.some((each) => each.method === method));
    const unbounded = { ...payment, maxMicroUsdc: MAX_MICRO_USDC };
    const quotes = [...candidates, ...others.map((method) => ({ method, funding }))].flatMap((way) =>
      quoted(way, asked, unbounded, decision),
    );
    return { quotes, freeStatus: null, error: 'failed' in decision ? decision.failed.error : null };
  }

  /** The way by which a 402 would be paid whose provider is not called; undefined where it would not be. Nothing is stored or signed. */
  async wayTo(
    payment: Payment,
    demand: Pick<Asked, 'challenges' | 'x402'>,
    funding: Funding,
  ): Promise<{ method: PaymentMethod; quote: Quote } | undefined> {
    if (this.barred(payment, funding)) return undefined;
    const provider = await this.providers.known(payment.operatorId, payment.provider);
    const asked = { ...demand, body: null, hasAuthorization: false, provider };
    const candidates = await this.methods.candidates(asked, payment, funding);
    const decision = await this.decide(asked, payment, candidates, ({ method, funding: used }, quote) =>
      method.check(payment, quote, used),
    );
    if ('chosen' in decision) return decision.chosen;
    const { error } = decision.failed;
    if (error instanceof Declined || error instanceof AccountBusy) return undefined;
    throw error;
  }

  /**
   * Tries the ways to pay in their order. A decline passes a way over; the first is the answer where every way is declined. Any other
   * error ends the search.
   */
  private async decide<R>(
    asked: Asked,
    payment: Payment,
    candidates: readonly Candidate[],
    attempt: (candidate: Candidate, quote: Quote) => Promise<R>,
  ): Promise<Decision<R>> {
    const declines: Attempt[] = [];
    for (const candidate of candidates) {
      let quote: Quote | undefined;
      try {
        requireGenuine(asked);
        quote = candidate.method.quote(asked, payment, candidate.funding);
        return { declines, chosen: { ...candidate, quote, result: await attempt(candidate, quote) } };
      } catch (error) {
        if (!(error instanceof Declined)) return { declines, failed: { candidate, quote, error } };
        declines.push({ candidate, quote, error });
      }
    }
    const [failed] = declines;
    if (!failed) throw new Error('a 402 has at least one way to pay');
    return { declines, failed };
  }

  /** Authorizes a payment for a 402 that the agent got itself. The agent sends the credential. */
  async authorize(payment: Payment, asked: Pick<Asked, 'challenges' | 'x402'>, funding: Funding): Promise<Payment> {
    const barred = this.barred(payment, funding);
    if (barred) {
      return this.declinedUnseen({ ...payment, microUsdc: askedMicroUsdc(asked, barred) }, barred, funding, demandOf(asked));
    }
    const kept = this.keptDemand(payment, demandOf(asked), funding);
    const provider = await this.providers.known(payment.operatorId, payment.provider);
    const {
      payment: authorized,
      release,
      method,
    } = await this.authorized(payment, { ...asked, body: null, hasAuthorization: false, provider }, funding);
    try {
      await kept;
      return method ? await method.concludeUnseen(authorized) : authorized;
    } finally {
      release();
    }
  }

  /** The agent reports that the provider refused the credential of a payment: stores a credential of the next way, if there is one. */
  async refused(payment: Payment, asked: Pick<Asked, 'challenges' | 'x402'>, funding: Funding, reason: string): Promise<Payment> {
    const provider = await this.providers.known(payment.operatorId, payment.provider);
    return this.methods.afterRefusal(payment, { ...asked, body: null, hasAuthorization: false, provider }, funding, reason);
  }

  /** Continues a payment after a crash or without an answer, from what is stored. */
  async resume(payment: Payment): Promise<Payment> {
    const method = this.methods.of(payment);
    if (!method) return this.stored(payment, this.store.fail(payment, INTERRUPTED));
    const { payment: resumed, resend } = await method.resume(payment);
    if (!resend) return resumed;
    const reading = { ...limitsOf(await this.providers.known(payment.operatorId, payment.provider)), isLive: false };
    return this.send(resumed, { method, quote: null, funding: null, request: this.client.open(resumed), reading });
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
    const candidates = await this.methods.candidates(asked, payment, funding);
    const decision = await this.decide(asked, payment, candidates, ({ method, funding: used }, quote) =>
      method.authorize(payment, quote, used),
    );
    if ('failed' in decision) {
      const { quote, error } = decision.failed;
      return { payment: await this.unpaid(payment, asked, quote, error), release: () => undefined, quote: null };
    }
    const { method, quote, result } = decision.chosen;
    return { ...result, quote, ...(result.payment.status === 'unknown' && { method }) };
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

  /** The decline of a payment's host. Before every other rule, and before any request leaves. */
  private barred({ provider }: Payment, { account, caller }: Funding): StoredViolation | undefined {
    return this.hosts.violation(account, caller, provider);
  }

  /** Declines a payment whose provider is not to be called. `demand`: the 402 that the agent got itself. */
  private async declinedUnseen(
    payment: Payment,
    barred: StoredViolation,
    funding: Funding,
    demand: Answer | null = null,
  ): Promise<Payment> {
    await this.keptDemand(payment, demand, funding);
    return this.stored(payment, this.store.decline(payment, barred));
  }

  /** Stores the 402 and the policy as evidence, beside the decision about them. Await it before anything is sent. */
  private keptDemand({ id }: Payment, demand: Answer | null, { account }: Funding): Promise<void> {
    const kept = this.evidence.keepDemand(id, demand && this.seals.demand(id, demand), account);
    // Where the decision fails first, its error is the answer.
    kept.catch(() => undefined);
    return kept;
  }

  /** Sends the credential, and stores what the answer means. A method may have it sent again, or another one of the same payment. */
  private async send(payment: Payment, { method: first, quote, funding, request, reading }: Sending): Promise<Payment> {
    let step: Step = { payment, resend: true };
    let answer: KeptAnswer | null = null;
    let method = first;
    for (let sends = 1; step.resend; sends++) {
      const current = this.methods.of(step.payment) ?? method;
      if (current !== method) sends = 1;
      method = current;
      const sent = (answer = await this.answerTo(step.payment, request, reading));
      this.failpoints.pass('payment.answered');
      step = await closedIfFailed(sent, method.conclude(step.payment, { answer: sent, sends, quote, funding }));
      if (step.resend) sent?.live?.close();
    }
    this.failpoints.pass('payment.concluded');
    const isKept = step.payment.responseStatus !== null || answer?.live !== undefined;
    return isKept && answer !== null ? Object.assign(step.payment, { answer }) : step.payment;
  }

  /** The provider's answer to the credential; null where there is none. */
  private async answerTo(payment: Payment, request: ProviderRequest, reading: Reading): Promise<KeptAnswer | null> {
    try {
      const answer = await this.client.call(request, reading, this.credentials.open(payment));
      return { ...answer, ...(await closedIfFailed(answer, this.answers.seal(payment, answer, { maxBytes: reading.maxBytes }))) };
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

/** Closes a live answer where the work on it fails. */
async function closedIfFailed<T>(answer: ProviderAnswer | null, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    answer?.live?.close();
    throw error;
  }
}

/** @throws Declined where the database was written to directly: the provider's record is not the operator's. */
function requireGenuine({ provider }: Asked): void {
  if (provider?.isGenuine !== false) return;
  throw Declined.because(
    'recipient_mismatch',
    'The pin of this provider was changed outside of the service: an operator must pin it again.',
  );
}

/** The failure of a payment that may be paid later. */
export function failureOf(error: unknown): PaymentFailure | undefined {
  if (error instanceof ChainUnavailableError)
    return {
      code: 'chain_unavailable',
      message: 'The chain cannot be asked right now. Nothing was paid: repeat the request with the same key.',
    };
  if (error instanceof ChainUnavailable) return { code: 'chain_unavailable', message: error.message };
  return error instanceof AccountBusy ? { code: 'account_busy', message: error.message } : undefined;
}

/** The price of a way to pay, whether or not it is chosen. None where the method takes no price of the 402. */
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

function askedBy({ challenges, paymentRequired, body }: ProviderAnswer): Pick<Asked, 'challenges' | 'x402'> {
  return { challenges, x402: paymentRequired === null ? { body: body.toString() } : { header: paymentRequired } };
}

/** The 402 that an agent hands over, as far as it does. */
function demandOf({ challenges, x402 }: Pick<Asked, 'challenges' | 'x402'>): Answer {
  const headers = {
    ...(challenges.length > 0 && { 'www-authenticate': challenges.join(', ') }),
    ...(x402 && 'header' in x402 && { [PAYMENT_REQUIRED_HEADER]: x402.header }),
  };
  const body = x402 && 'object' in x402 ? JSON.stringify(x402.object) : '';
  return { status: 402, headers, body: Buffer.from(body), truncated: false };
}

function bodyOf({ body }: ProviderRequest): Buffer | null {
  return body === null ? null : Buffer.from(body, 'base64');
}

function hasAuthorization({ headers }: ProviderRequest): boolean {
  return Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
}
