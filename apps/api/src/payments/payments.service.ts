import { Injectable, Logger } from '@nestjs/common';
import { storageFault } from '#database';
import type { Caller } from '../http/caller';
import { StorageUnavailable } from '../http/domain.errors';
import { REPLAYED } from '../http/dry-run';
import { unsentUnlessStored } from '../http/errors/unsent';
import { referenceMembers } from '../lists/references';
import { formatUsdc } from '../money/usdc';
import { Providers } from '../providers';
import { Credentials } from './process/credentials';
import { demandIn } from './provider/demands';
import { EvidenceSeals } from './evidence/evidence-seals';
import { LiveAnswers } from './provider/live-answers';
import { PaymentClaims } from './process/payment-claims';
import { PaymentDrafts, type Requested } from './process/payment-drafts';
import type { Payment } from './payment.entity';
import { PaymentExecutions } from './process/payment-executions';
import { PaymentProcess } from './process/payment-process';
import { type PaymentAnswer, PaymentReader } from './lists/payment-reader';
import type { AuthorizationView } from './lists/payment.views';
import type { AuthorizePaymentDto, CreatePaymentDto } from './payments.dto';
import { CredentialLost } from './payments.errors';
import { type CallUnderWay, ProviderCalls } from './provider/provider-calls';
import { answerBytes, type ProviderCall, ProviderClient } from './provider/provider-client';

/** A repeat calls no provider. */
const UNCOUNTED: CallUnderWay = { release: () => undefined, end: () => undefined };

/** Pays, one payment an idempotency key. */
@Injectable()
export class PaymentsService {
  private readonly logger = new Logger('Payments');

  constructor(
    private readonly drafts: PaymentDrafts,
    private readonly claims: PaymentClaims,
    private readonly reader: PaymentReader,
    private readonly providers: Providers,
    private readonly client: ProviderClient,
    private readonly credentials: Credentials,
    private readonly process: PaymentProcess,
    private readonly executions: PaymentExecutions,
    private readonly evidence: EvidenceSeals,
    private readonly calls: ProviderCalls,
    private readonly live: LiveAnswers,
  ) {}

  /**
   * Calls a provider, and pays if it asks for a payment. With `isLive` the answer of a provider that served the request is returned with its
   * body unread: the call counts as under way until that is read or closed.
   */
  pay(caller: Caller, dto: CreatePaymentDto, isLive = false): Promise<PaymentAnswer> {
    return unsentUnlessStored(async () => {
      const requested = this.drafts.toPay(caller, dto);
      const { draft, request } = requested;
      const provider = await this.providers.known(draft.operatorId, draft.provider);
      const { end, release } = await this.begin(caller, draft, answerBytes(provider));
      let isOpen = false;
      try {
        const answer = await this.paid(caller, requested, { request, provider, isLive }, end);
        isOpen = answer.live !== undefined;
        return answer;
      } finally {
        if (isOpen) release();
        else end();
      }
    });
  }

  /** Counts the call. A repeat calls no provider, and is answered whatever the number of calls under way. @throws TooManyAtOnce */
  private async begin(caller: Caller, draft: Payment, bytes: number): Promise<CallUnderWay> {
    const isReplay = !this.calls.hasRoom(caller.keyId, bytes) && (await this.calls.lookUp(() => this.claims.isReplay(draft)));
    return isReplay ? UNCOUNTED : this.calls.begin(caller.keyId, bytes);
  }

  private async paid(
    caller: Caller,
    { draft, request, openSession }: Requested,
    call: ProviderCall,
    over: () => void,
  ): Promise<PaymentAnswer> {
    draft.requestSealed = this.client.seal(draft.id, request);
    const evidence = this.evidence.request(draft.id, request, draft.requestUrl);
    const { payment, funding, isOurs } = await this.claims.claim(caller, draft, { openSession, evidence });
    // The stored copy is not kept in memory while the provider is silent.
    draft.requestSealed = payment.requestSealed = null;
    if (!isOurs) return this.reader.answer(await this.replay(payment), REPLAYED);
    const outcome = await this.run(payment, this.process.pay(payment, call, funding));
    const live = this.live.of(outcome, over);
    try {
      return { ...this.reader.answer(outcome, {}), live };
    } catch (error) {
      live?.close();
      throw error;
    }
  }

  /** Stores a credential for a 402 that the agent got itself, and returns it. */
  authorize(caller: Caller, dto: AuthorizePaymentDto): Promise<{ body: AuthorizationView; headers: Record<string, string> }> {
    return unsentUnlessStored(async () => {
      const draft = this.drafts.toAuthorize(caller, dto);
      const evidence = this.evidence.unseenRequest(draft.id, draft.requestUrl);
      const { payment, funding, isOurs } = await this.claims.claim(caller, draft, { openSession: null, evidence });
      const demand = demandIn(dto);
      let outcome: Payment;
      if (isOurs) outcome = await this.run(payment, this.process.authorize(payment, demand, funding));
      else {
        outcome = await this.replay(payment);
        if (dto.refused !== undefined) outcome = await this.run(outcome, this.process.refused(outcome, demand, funding, dto.refused));
      }
      const headers = isOurs ? {} : REPLAYED;
      this.reader.answer(outcome, headers);
      return { body: this.authorization(outcome), headers };
    });
  }

  /** @throws CredentialLost */
  private authorization(payment: Payment): AuthorizationView {
    if (payment.credentialSealed === null) throw new CredentialLost(payment);
    const { header, value, payload } = this.credentials.open(payment);
    return {
      payment_id: payment.id,
      authorization: value,
      header,
      // Of a metered seller the most that it may take.
      amount_usdc: formatUsdc(payment.microUsdc),
      session_id: payment.sessionId,
      purse_id: payment.purseId,
      ...referenceMembers(payment),
      ...(payload && { payment_payload: payload }),
    };
  }

  /**
   * Runs a stored payment. If the database becomes unavailable, its outcome is unknown, and recovery finds it.
   * @throws StorageUnavailable if the answer would be a credential.
   */
  private async run(payment: Payment, running: Promise<Payment>): Promise<Payment> {
    try {
      return await this.executions.run(payment, running);
    } catch (error) {
      if (!storageFault(error)) throw error;
      this.logger.warn(`The outcome of ${payment.id} is not known: ${String(error)}`);
      if (payment.mode === 'authorize') throw new StorageUnavailable();
      return payment;
    }
  }

  /** The outcome of a payment that another request runs or ran. */
  private async replay({ id }: Payment): Promise<Payment> {
    try {
      return await this.executions.outcome(id);
    } catch (error) {
      throw storageFault(error) ? new StorageUnavailable() : error;
    }
  }
}
