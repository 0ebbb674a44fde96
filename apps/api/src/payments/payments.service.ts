import { createHash } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { ChainUnavailableError } from '#chain';
import { isId, newId, storageFault } from '#database';
import { parseReceipt } from '#mpp';
import { AccountsService } from '../accounts';
import { Clock } from '../runtime/clock';
import { Config } from '../runtime/config';
import { covers, requireCover, type Caller } from '../http/caller';
import { ChainUnavailable, InvalidRequest, NotFound, StorageUnavailable } from '../http/domain.errors';
import { declineView, dryRunView, type Prediction, REPLAYED } from '../http/dry-run';
import { type Metadata, referencedBy, type ReferencedDto, referenceMembers } from '../lists/references';
import { formatUsdc, parseUsdc } from '../money/usdc';
import { providerUrlDefect } from '../egress/url-policy';
import { unsentUnlessStored } from '../http/unsent';
import { Rejected } from '../orders';
import { limitsOf, Providers } from '../providers';
import { type Purse, PurseNotOpen, PursesService, PurseStore } from '../purses';
import { DatabaseSize } from '../persistence/database-size';
import { sentBody } from './body-text';
import { Credentials } from './credentials';
import { EvidenceSeals } from './evidence/evidence-seals';
import { PaymentExecutions } from './payment-executions';
import type { Funding } from './payment-method';
import { askedIn, type Called, purseParameters, withoutQuery } from './payment-requests';
import { failureOf, type Forecast, PaymentProcess, type QuotedMethod } from './payment-process';
import { PaymentStore } from './payment.store';
import { Payment } from './payment.entity';
import {
  paymentView,
  type AuthorizePaymentDto,
  type CreatePaymentDto,
  type OpenSessionDto,
  type PaymentDryRunView,
  type QuoteView,
  type PaymentView,
} from './payments.dto';
import { CredentialLost, Declined, PaymentKeyConflict, paymentFailureError } from './payments.errors';
import { type LiveAnswer, LiveAnswers } from './live-answers';
import { RepeatedPayments } from './repeated-payments';
import { ProviderAnswers } from './provider-answers';
import { type CallUnderWay, ProviderCalls } from './provider-calls';
import { mostBytes, ProviderClient, type ProviderRequest, receiptFor, settledResponse } from './provider-client';
import { DEFAULT_EXPIRY_SECONDS, type Session, SessionNotOpen, SessionsService, SessionReader } from '../sessions';

/** The answer to a request. A decline is thrown. */
export interface PaymentAnswer {
  status: 200 | 202;
  body: PaymentView;
  headers: Record<string, string>;
  /** The provider's answer with its body unread, in place of the body. */
  live?: LiveAnswer | undefined;
}

/** A request that is checked, and its payment, which is not stored yet. */
interface Requested {
  draft: Payment;
  request: ProviderRequest;
  openSession: OpenSessionDto | null;
}

/** A credential for an agent that calls the provider itself. */
export interface AuthorizationView {
  payment_id: string;
  authorization: string;
  /** The header that it goes into. */
  header: string;
  amount_usdc: string;
  session_id: string | null;
  purse_id: string | null;
  reference?: string;
  metadata?: Metadata;
  /** x402: the object in the header, for MCP's `_meta["x402/payment"]`. */
  payment_payload?: Record<string, unknown>;
}

/** The payment of a request, and what it is paid with. */
interface Claimed {
  payment: Payment;
  funding: Funding;
  /** This request runs the payment: it is new, or it failed and runs again. Otherwise the request replays it. */
  isOurs: boolean;
}

/** The payment API: one payment an idempotency key. */
@Injectable()
export class PaymentsService {
  private readonly logger = new Logger('Payments');

  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly accounts: AccountsService,
    private readonly sessions: SessionsService,
    private readonly sessionReader: SessionReader,
    private readonly purses: PursesService,
    private readonly purseStore: PurseStore,
    private readonly providers: Providers,
    private readonly client: ProviderClient,
    private readonly credentials: Credentials,
    private readonly process: PaymentProcess,
    private readonly executions: PaymentExecutions,
    private readonly store: PaymentStore,
    private readonly repeated: RepeatedPayments,
    private readonly answers: ProviderAnswers,
    private readonly evidence: EvidenceSeals,
    private readonly calls: ProviderCalls,
    private readonly live: LiveAnswers,
    private readonly size: DatabaseSize,
  ) {}

  /**
   * Calls a provider, and pays if it asks for a payment. With `isLive` the answer of a provider that served the request is returned with its
   * body unread: the call counts as under way until that is read or closed.
   */
  pay(caller: Caller, dto: CreatePaymentDto, isLive = false): Promise<PaymentAnswer> {
    return unsentUnlessStored(async () => {
      const requested = this.requested(caller, dto);
      const bytes = await this.answerBytes(requested.draft);
      const earlier = this.calls.hasRoom(caller.keyId, bytes)
        ? undefined
        : await this.calls.lookUp(() => this.store.findByKey(requested.draft));
      // A repeat calls nobody, and is answered however many calls are under way.
      const { end, release } = earlier && !isRerunnable(earlier) ? UNCOUNTED : await this.calls.begin(caller.keyId, bytes);
      let isOpen = false;
      try {
        const answer = await this.paid(caller, requested, isLive, end);
        isOpen = answer.live !== undefined;
        return answer;
      } finally {
        if (isOpen) release();
        else end();
      }
    });
  }

  private async paid(
    caller: Caller,
    { draft, request, openSession }: Requested,
    isLive: boolean,
    over: () => void,
  ): Promise<PaymentAnswer> {
    draft.requestSealed = this.client.seal(draft.id, request);
    const evidence = this.evidence.request(draft.id, request, draft.requestUrl);
    const { payment, funding, isOurs } = await this.claim(caller, draft, { openSession, evidence });
    // The stored copy is not kept in memory while the provider is silent.
    draft.requestSealed = payment.requestSealed = null;
    if (!isOurs) return this.answer(await this.replay(payment), REPLAYED);
    const outcome = await this.run(payment, this.process.pay(payment, request, funding, isLive));
    const live = this.live.of(outcome, over);
    try {
      return { ...this.answer(outcome, {}), live };
    } catch (error) {
      live?.close();
      throw error;
    }
  }

  /** The outcome that paying would have. Makes the one unpaid request to the provider; nothing is stored, signed or sent beside it. */
  async dryRun(caller: Caller, dto: CreatePaymentDto): Promise<PaymentDryRunView> {
    const { draft, request, openSession } = this.requested(caller, dto);
    let forecast: Forecast = { quotes: [], freeStatus: null, error: null };
    const predict = async (): Promise<Prediction> => {
      const { funding, held } = await this.funding(caller, draft, openSession);
      const earlier = held ?? (await this.store.findByKey(draft));
      if (earlier) await this.requireSame(earlier, draft, caller);
      if (earlier && !isRerunnable(earlier)) {
        this.answer(earlier, REPLAYED);
        return { requiresApproval: false, isReplay: true };
      }
      if (!earlier) await this.repeated.requireNew(draft, funding);
      forecast = await this.process.dryRun(draft, request, funding);
      if (forecast.error !== null) throw errorOf(forecast.error);
      return { requiresApproval: false };
    };
    const view = await this.calls.during(caller.keyId, await this.answerBytes(draft), () => dryRunView(0n, predict()));
    const { quotes, freeStatus } = forecast;
    const amount = (quotes.find(({ isChosen }) => isChosen) ?? quotes[0])?.quote.microUsdc ?? 0n;
    const free = freeStatus === null ? {} : { provider_status: freeStatus, message: `The provider asks for nothing: HTTP ${freeStatus}.` };
    return { ...view, amount_usdc: formatUsdc(amount), quotes: quotes.map(quoteView), ...free };
  }

  /** How much memory the answer of a payment's provider may take. */
  private async answerBytes({ operatorId, provider }: Payment): Promise<number> {
    return mostBytes(limitsOf(await this.providers.known(operatorId, provider)));
  }

  private requested(caller: Caller, dto: CreatePaymentDto): Requested {
    const { request: asked, open_session: openSession = null } = dto;
    const { body, headers } = sentBody(asked.body, asked.headers ?? {});
    const request = { method: asked.method, url: asked.url, headers, body: body ?? asked.body_base64 ?? null };
    const provider = this.originOf(asked.url, 'request.url');
    const parameters = [
      request,
      dto.session_id ?? null,
      openSession && [parseUsdc(openSession.cap).toString(), openSession.expires_in_seconds ?? DEFAULT_EXPIRY_SECONDS],
      ...purseParameters(dto),
    ];
    const called = { method: asked.method, url: asked.url };
    return { draft: this.draft(caller, dto, { mode: 'pay', provider, called, parameters }), request, openSession };
  }

  /** Stores a credential for a 402 that the agent got itself, and returns it. */
  authorize(caller: Caller, dto: AuthorizePaymentDto): Promise<{ body: AuthorizationView; headers: Record<string, string> }> {
    return unsentUnlessStored(async () => {
      const provider = this.originOf(dto.url, 'url');
      const draft = this.draft(caller, dto, {
        mode: 'authorize',
        provider,
        called: { method: null, url: dto.url },
        parameters: [dto.url, dto.challenges ?? dto.payment_required, dto.session_id ?? null, ...purseParameters(dto)],
      });
      const { payment, funding, isOurs } = await this.claim(caller, draft, {
        openSession: null,
        evidence: this.evidence.unseenRequest(draft.id, draft.requestUrl),
      });
      const earlier = isOurs ? null : await this.replay(payment);
      const { refused } = dto;
      const outcome =
        earlier === null
          ? await this.run(payment, this.process.authorize(payment, askedIn(dto), funding))
          : refused === undefined
            ? earlier
            : await this.run(earlier, this.process.refused(earlier, askedIn(dto), funding, refused));
      const headers = isOurs ? {} : REPLAYED;
      const { session_id, purse_id } = this.answer(outcome, headers).body;
      if (outcome.credentialSealed === null) throw new CredentialLost(outcome);
      const { header, value, payload } = this.credentials.open(outcome);
      const body = {
        payment_id: outcome.id,
        authorization: value,
        header,
        // Of a metered seller the most that it may take.
        amount_usdc: formatUsdc(outcome.microUsdc),
        session_id,
        purse_id,
        ...referenceMembers(outcome),
        ...(payload && { payment_payload: payload }),
      };
      return { body, headers };
    });
  }

  async noteReceipt(caller: Caller, id: string, receipt: string): Promise<PaymentView> {
    const payment = await this.find(caller, id);
    if (payment.protocol === 'x402') this.requireResponse(receipt);
    else await this.requireReceipt(caller, payment, receipt);
    return this.view((await this.store.noteReceipt(payment, receipt)) ?? payment);
  }

  /** @throws InvalidRequest for anything but a PAYMENT-RESPONSE that says that a payment settled. */
  private requireResponse(receipt: string): void {
    if (settledResponse(receipt) === null) throw InvalidRequest.field('receipt', 'is no PAYMENT-RESPONSE of a settled payment');
  }

  /** @throws InvalidRequest for anything but a Payment-Receipt of this payment. */
  private async requireReceipt(caller: Caller, payment: Payment, receipt: string): Promise<void> {
    try {
      parseReceipt(receipt);
    } catch (error) {
      throw InvalidRequest.field('receipt', `is no Payment-Receipt: ${(error as Error).message}`);
    }
    const reference =
      payment.sessionId === null
        ? (payment.transactionSignature ?? payment.signature)
        : (await this.sessions.find(caller, payment.sessionId)).address;
    if (!receiptFor(payment, receipt, reference)) throw InvalidRequest.field('receipt', 'is the receipt of another payment');
  }

  async show(caller: Caller, id: string): Promise<PaymentView> {
    return this.view(await this.find(caller, id));
  }

  /** A payment that is not stored yet. `parameters` is what a replay must repeat, beside the account and the bound. */
  private draft(
    caller: Caller,
    dto: ReferencedDto & { account_id: string; session_id?: string; purse_id?: string; idempotency_key: string; max_amount: string },
    { mode, provider, called, parameters }: { mode: Payment['mode']; provider: string; called: Called; parameters: unknown[] },
  ): Payment {
    requireCover(caller, dto.account_id);
    const maxMicroUsdc = parseUsdc(dto.max_amount);
    const createdAt = this.clock.now();
    return this.database.manager.create(Payment, {
      id: newId('pay', createdAt),
      operatorId: caller.operatorId,
      accountId: dto.account_id,
      sessionId: dto.session_id ?? null,
      purseId: dto.purse_id ?? null,
      ...referencedBy(dto),
      idempotencyKey: dto.idempotency_key,
      requestHash: createHash('sha256')
        .update(JSON.stringify([mode, dto.account_id, maxMicroUsdc.toString(), ...parameters]))
        .digest(),
      mode,
      maxMicroUsdc,
      provider,
      requestMethod: called.method,
      requestUrl: withoutQuery(called.url),
      requestSealed: null,
      createdAt,
    });
  }

  /**
   * Stores a payment, or finds the one that holds its idempotency key. A key's payment is found even where its session or purse is no
   * longer open. @throws NotFound, SessionNotOpen, PurseNotOpen, InvalidRequest for the account, the session or the purse; PaymentKeyConflict.
   */
  private async claim(
    caller: Caller,
    draft: Payment,
    { openSession, evidence }: { openSession: OpenSessionDto | null; evidence: string },
  ): Promise<Claimed> {
    const { funding, held } = await this.funding(caller, draft, openSession);
    if (!held) await this.requireNew(draft, funding);
    const { payment, isNew } = held ? { payment: held, isNew: false } : await this.store.insert(draft, evidence);
    if (isNew) return { payment, funding, isOurs: true };

    await this.requireSame(payment, draft, caller);
    const rerun = isRerunnable(payment) ? await this.store.rerun(payment) : undefined;
    if (!rerun) return { payment, funding, isOurs: false };
    // A request with open_session finds the session that it opened before, unless that has ended.
    const sessionOfRerun = rerun.sessionId === null || openSession !== null ? null : await this.sessionReader.find(rerun.sessionId);
    const purseOfRerun = rerun.purseId === null ? null : await this.purseStore.find(rerun.purseId);
    return { payment: rerun, funding: { ...funding, session: sessionOfRerun, purse: purseOfRerun }, isOurs: true };
  }

  /** @throws PaymentKeyConflict where the payment that holds the key is of another request, or may not run again under it. */
  private async requireSame(holder: Payment, { requestHash }: Payment, caller: Caller): Promise<void> {
    if (!holder.requestHash.equals(requestHash)) throw new PaymentKeyConflict(holder, caller);
    if (isRerunnable(holder) && !(await this.store.hasKey(holder))) throw new PaymentKeyConflict(null);
  }

  /** @throws StorageFull, MayBePaid, ChainUnavailable, unless the payment is stored. */
  private async requireNew(draft: Payment, funding: Funding): Promise<void> {
    try {
      await this.size.requireRoom();
      await this.repeated.requireNew(draft, funding);
    } catch (error) {
      if (await this.store.findByKey(draft)) return;
      throw error instanceof ChainUnavailableError ? new ChainUnavailable() : error;
    }
  }

  /**
   * The source that a payment is to be paid with; and the payment that holds its key, where its session or purse cannot be used any more.
   * @throws NotFound, SessionNotOpen, PurseNotOpen, InvalidRequest for the account, the session or the purse.
   */
  private async funding(
    caller: Caller,
    draft: Payment,
    openSession: OpenSessionDto | null,
  ): Promise<{ funding: Funding; held: Payment | undefined }> {
    const [account, session, purse] = await Promise.allSettled([
      this.accounts.find(caller.operatorId, draft.accountId),
      draft.sessionId === null ? null : this.openSession(caller, draft.sessionId, draft),
      draft.purseId === null ? null : this.openPurse(caller, draft.purseId, draft),
    ]);
    if (account.status === 'rejected') throw account.reason;
    const unusable = [session, purse].find((each) => each.status === 'rejected');
    const held = unusable && (await this.store.findByKey(draft));
    if (unusable && !held) throw unusable.reason;
    const source = {
      session: session.status === 'fulfilled' ? session.value : null,
      purse: purse.status === 'fulfilled' ? purse.value : null,
    };
    return { funding: { caller, account: account.value, ...source, openSession }, held };
  }

  /**
   * Runs a stored payment. Where the database becomes unavailable its outcome is unknown, and recovery finds it.
   * @throws StorageUnavailable where the answer would be a credential.
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

  private answer(payment: Payment, headers: Record<string, string>): PaymentAnswer {
    const { status, failure, rejectionReason, violation } = payment;
    if (status === 'rejected') throw new Rejected({ payment_id: payment.id }, { reason: rejectionReason ?? '', violation }, headers);
    if (status === 'failed' && failure) throw paymentFailureError(payment, failure);
    return { status: status === 'unknown' || status === 'created' ? 202 : 200, body: this.view(payment), headers };
  }

  private view(payment: Payment): PaymentView {
    return paymentView(payment, this.answers.open(payment));
  }

  /** @throws NotFound, SessionNotOpen, and InvalidRequest for a session of another account or of another provider. */
  private async openSession(caller: Caller, sessionId: string, { accountId, provider }: Payment): Promise<Session> {
    const session = await this.sessions.find(caller, sessionId);
    if (session.accountId !== accountId) throw InvalidRequest.field('session_id', 'is a session of another account');
    if (session.state !== 'open') throw new SessionNotOpen(session.id, (await this.sessions.view(session)).status);
    if (session.provider !== provider) throw InvalidRequest.field('session_id', `is a session for ${session.provider}`);
    return session;
  }

  /** @throws NotFound, PurseNotOpen, and InvalidRequest for a purse of another account. */
  private async openPurse(caller: Caller, purseId: string, { accountId }: Payment): Promise<Purse> {
    const purse = await this.purses.find(caller, purseId);
    if (purse.accountId !== accountId) throw InvalidRequest.field('purse_id', 'is a purse of another account');
    await this.purses.requireOpen(purse);
    // The purse of a payment pays that one alone.
    if (purse.paymentId !== null) throw new PurseNotOpen(purse.id, purse.status);
    return purse;
  }

  private async find(caller: Caller, id: string): Promise<Payment> {
    const payment = isId('pay', id) ? await this.store.findOf(caller.operatorId, id) : undefined;
    if (!payment || !covers(caller, payment.accountId)) throw new NotFound('There is no such payment.');
    return payment;
  }

  /** @throws InvalidRequest for a URL that may not be called: https only, and http on this machine in the sandbox. */
  private originOf(text: string, field: string): string {
    const defect = providerUrlDefect(text, { allowPrivate: this.config.ALLOW_PRIVATE_URLS });
    if (defect !== undefined) throw InvalidRequest.field(field, defect);
    return new URL(text).origin;
  }
}

/** A repeat calls no provider. */
const UNCOUNTED: CallUnderWay = { release: () => undefined, end: () => undefined };

/** Whether the same request may run again: no credential was stored, and no rule but the balance was in the way. */
function isRerunnable({ status, rejectionReason }: Payment): boolean {
  return status === 'failed' || (status === 'rejected' && rejectionReason === 'insufficient_balance');
}

/** The error that a payment without a credential answers, without the name of a payment. */
function errorOf(error: unknown): unknown {
  if (error instanceof Declined) return new Rejected({}, { reason: error.violation.rule, violation: error.violation });
  const failure = failureOf(error);
  return failure ? paymentFailureError(null, failure) : error;
}

function quoteView({ method, quote, isChosen, declined }: QuotedMethod): QuoteView {
  return {
    protocol: method.protocol,
    method: method.name,
    amount_usdc: formatUsdc(quote.microUsdc),
    ...(quote.isMetered && { metered: true as const }),
    payee: quote.payee,
    network: quote.network,
    category: quote.category,
    expires_at: quote.expiresAt?.toISOString() ?? null,
    chosen: isChosen,
    ...(declined && { decline: declineView(new Rejected({}, { reason: declined.violation.rule, violation: declined.violation })) }),
  };
}
