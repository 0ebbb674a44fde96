import { Injectable, Logger } from '@nestjs/common';
import { EgressError } from '../../egress/egress.errors';
import { DomainError } from '../../http/domain.errors';
import type { StoredViolation } from '../../orders';
import { limitsOf, Providers } from '../../providers';
import { Config } from '../../runtime/config';
import { Failpoints } from '../../runtime/failpoints';
import { Mutex } from '../../runtime/mutex';
import { askedMicroUsdc } from './asked-amount';
import { Credentials } from './credentials';
import { answerOf, askedBy, askedUnseen, type Demand } from '../provider/demands';
import { EvidenceSeals } from '../evidence/evidence-seals';
import { EvidenceStore } from '../evidence/evidence.store';
import { PaymentMethods } from '../methods/payment-methods';
import { PaymentDecisions } from './payment-decisions';
import type { Answer, Payment, PaymentFailure } from '../payment.entity';
import { PaymentLock } from '../methods/payment-lock';
import type { Asked, Funding, KeptAnswer, PaymentMethod, Quote, Step } from '../methods/payment-method';
import { PaymentStore } from '../payment.store';
import { Declined, failureOf, unreachable } from '../payments.errors';
import { ProviderAnswers } from '../provider/provider-answers';
import { type ProviderAnswer, type ProviderCall, ProviderClient, type ProviderRequest, type Reading } from '../provider/provider-client';

const INTERRUPTED: PaymentFailure = {
  code: 'provider_unreachable',
  message: 'The service was interrupted before anything was signed. Repeat the request with the same key.',
};

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

/**
 * A payment from the first call of the provider to its end: fetch, check, authorize, send, conclude. A payment has at most one
 * credential, which is stored before it is sent and sent at most twice. An outcome that is not known is never paid again.
 */
@Injectable()
export class PaymentProcess {
  private readonly logger = new Logger('Payments');
  private readonly mutex = new Mutex();

  constructor(
    private readonly providers: Providers,
    private readonly client: ProviderClient,
    private readonly answers: ProviderAnswers,
    private readonly config: Config,
    private readonly credentials: Credentials,
    private readonly decisions: PaymentDecisions,
    private readonly methods: PaymentMethods,
    private readonly store: PaymentStore,
    private readonly failpoints: Failpoints,
    private readonly evidence: EvidenceStore,
    private readonly seals: EvidenceSeals,
  ) {}

  /**
   * Calls the provider, and pays if it asks for a payment. The returned payment of a live call has the answer of a provider that served it
   * with its body unread: the caller reads or closes it.
   */
  async pay(payment: Payment, { request, provider, isLive }: ProviderCall, funding: Funding): Promise<Payment> {
    const barred = this.decisions.barred(payment, funding);
    if (barred) return this.declinedUnseen({ ...payment, microUsdc: 0n }, barred, funding);
    const reading = { ...limitsOf(provider), isLive };
    let answer: ProviderAnswer;
    try {
      answer = await this.client.call(request, reading);
    } catch (error) {
      if (!(error instanceof EgressError)) throw error;
      return this.stored(payment, this.store.fail(payment, unreachable(error)));
    }
    if (answer.status !== 402) return closedIfFailed(answer, this.free(payment, answer));
    this.failpoints.pass('payment.asked');

    const asked = askedBy(answer, request, provider);
    const kept = this.keptDemand(payment, answer, funding);
    const lock = new PaymentLock(this.mutex);
    try {
      const { payment: authorized, method, ...chosen } = await this.authorized(payment, asked, funding, lock);
      await kept;
      return method ? await this.send(authorized, { method, ...chosen, request, reading }) : authorized;
    } finally {
      lock.release();
    }
  }

  /** Stores the answer of a provider that asks for nothing. */
  private async free(payment: Payment, answer: ProviderAnswer): Promise<Payment> {
    const kept = await this.answers.seal(payment, answer, { maxBytes: this.config.FREE_ANSWER_BYTES });
    return Object.assign(await this.stored(payment, this.store.free(payment, kept)), { answer });
  }

  /** Authorizes a payment for a 402 that the agent got itself. The agent sends the credential. */
  async authorize(payment: Payment, demand: Demand, funding: Funding): Promise<Payment> {
    const barred = this.decisions.barred(payment, funding);
    if (barred) {
      return this.declinedUnseen({ ...payment, microUsdc: askedMicroUsdc(demand, barred) }, barred, funding, answerOf(demand));
    }
    const kept = this.keptDemand(payment, answerOf(demand), funding);
    const provider = await this.providers.known(payment.operatorId, payment.provider);
    const lock = new PaymentLock(this.mutex);
    try {
      const { payment: authorized, method } = await this.authorized(payment, askedUnseen(demand, provider), funding, lock);
      await kept;
      return method ? await method.concludeUnseen(authorized) : authorized;
    } finally {
      lock.release();
    }
  }

  /** The agent reports that the provider refused the credential of a payment: stores a credential of the next way, if there is one. */
  async refused(payment: Payment, demand: Demand, funding: Funding, reason: string): Promise<Payment> {
    const provider = await this.providers.known(payment.operatorId, payment.provider);
    return this.methods.afterRefusal(payment, askedUnseen(demand, provider), funding, reason);
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
   * if there is no credential to send; `funding` has the session or the purse that was chosen.
   */
  private async authorized(
    payment: Payment,
    asked: Asked,
    funding: Funding,
    lock: PaymentLock,
  ): Promise<{ payment: Payment; method?: PaymentMethod; quote: Quote | null; funding: Funding }> {
    const decision = await this.decisions.authorize(payment, asked, funding, lock);
    if ('failed' in decision) {
      const { quote, error } = decision.failed;
      return { payment: await this.unpaid(payment, asked, quote, error), quote: null, funding };
    }
    const { method, quote, funding: used, result } = decision.chosen;
    return { payment: result, quote, funding: used, ...(result.status === 'unknown' && { method }) };
  }

  /** Stores why a payment was not authorized. @throws the error itself, if it is neither a decline nor a failure of a payment. */
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

  /** Declines a payment whose provider is not to be called. `demand`: the 402 that the agent got itself. */
  private async declinedUnseen(
    payment: Payment,
    barred: StoredViolation,
    funding: Funding,
    answer: Answer | null = null,
  ): Promise<Payment> {
    await this.keptDemand(payment, answer, funding);
    return this.stored(payment, this.store.decline(payment, barred));
  }

  /** Stores the 402 and the policy as evidence, beside the decision about them. Await it before anything is sent. */
  private keptDemand({ id }: Payment, demand: Answer | null, { account }: Funding): Promise<void> {
    const kept = this.evidence.keepDemand(id, demand && this.seals.demand(id, demand), account);
    // If the decision fails first, its error is the answer.
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

  /** The provider's answer to the credential; null if there is none. */
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

/** Closes a live answer if the work on it fails. */
async function closedIfFailed<T>(answer: ProviderAnswer | null, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    answer?.live?.close();
    throw error;
  }
}
