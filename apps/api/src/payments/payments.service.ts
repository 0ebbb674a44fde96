import { createHash } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { isId, newId, storageFault } from '#database';
import { parseReceipt } from '#mpp';
import { AccountsService } from '../accounts';
import { Clock } from '../runtime/clock';
import { Config } from '../runtime/config';
import { covers, requireCover, type Caller } from '../http/caller';
import { InvalidRequest, NotFound, StorageUnavailable } from '../http/domain.errors';
import { dryRunView, type Prediction } from '../http/dry-run';
import { type Metadata, referencedBy, type ReferencedDto, referenceMembers } from '../http/references';
import { formatUsdc, parseUsdc } from '../money/usdc';
import { providerUrlDefect } from '../egress/url-policy';
import { unsentUnlessStored } from '../http/unsent';
import { Rejected } from '../orders';
import { type Purse, PursesService, PurseStore } from '../purses';
import { sentBody } from './body-text';
import { Credentials } from './credentials';
import { PaymentExecutions } from './payment-executions';
import type { Asked, Funding } from './payment-method';
import { type Forecast, PaymentProcess, type QuotedMethod } from './payment-process';
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
import { CredentialLost, PaymentKeyConflict, paymentFailureError } from './payments.errors';
import { ProviderClient, type ProviderRequest, receiptFor, settledResponse } from './provider-client';
import { DEFAULT_EXPIRY_SECONDS, type Session, SessionNotOpen, SessionsService, SessionStore } from '../sessions';

/** The answer to a request. A decline is thrown. */
export interface PaymentAnswer {
  status: 200 | 202;
  body: PaymentView;
  headers: Record<string, string>;
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

const REPLAYED = { 'Idempotent-Replayed': 'true' };

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
    private readonly sessionStore: SessionStore,
    private readonly purses: PursesService,
    private readonly purseStore: PurseStore,
    private readonly client: ProviderClient,
    private readonly credentials: Credentials,
    private readonly process: PaymentProcess,
    private readonly executions: PaymentExecutions,
    private readonly store: PaymentStore,
  ) {}

  /** Calls a provider, and pays if it asks for a payment. */
  pay(caller: Caller, dto: CreatePaymentDto): Promise<PaymentAnswer> {
    return unsentUnlessStored(async () => {
      const { draft, request, openSession } = this.requested(caller, dto);
      draft.requestSealed = this.client.seal(draft.id, request);
      const { payment, funding, isOurs } = await this.claim(caller, draft, openSession);
      const outcome = isOurs ? await this.run(payment, this.process.pay(payment, request, funding)) : await this.replay(payment);
      return { ...this.answer(outcome, isOurs ? {} : REPLAYED), headers: isOurs ? {} : REPLAYED };
    });
  }

  /** What paying would lead to. Makes the one unpaid request to the provider; nothing is stored, signed or sent beside it. */
  async dryRun(caller: Caller, dto: CreatePaymentDto): Promise<PaymentDryRunView> {
    const { draft, request, openSession } = this.requested(caller, dto);
    let forecast: Forecast = { quotes: [], chosen: null, declined: null };
    const predict = async (): Promise<Prediction> => {
      const { funding, held } = await this.funding(caller, draft, openSession);
      const earlier = held ?? (await this.store.findByKey(caller.operatorId, draft.idempotencyKey));
      if (earlier && !earlier.requestHash.equals(draft.requestHash)) throw new PaymentKeyConflict(earlier.id);
      if (earlier && !isRerunnable(earlier)) {
        this.answer(earlier, {});
        return { requiresApproval: false };
      }
      forecast = await this.process.dryRun(draft, request, funding);
      const { violation } = forecast.declined ?? {};
      if (violation) throw new Rejected({}, { reason: violation.rule, violation });
      return { requiresApproval: false };
    };
    const view = await dryRunView(0n, predict());
    const { quotes, chosen } = forecast;
    const amount = (chosen ?? quotes[0])?.quote.microUsdc ?? 0n;
    return { ...view, amount_usdc: formatUsdc(amount), quotes: quotes.map((each) => quoteView(each, each.method === chosen?.method)) };
  }

  private requested(
    caller: Caller,
    dto: CreatePaymentDto,
  ): { draft: Payment; request: ProviderRequest; openSession: OpenSessionDto | null } {
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
      const { payment, funding, isOurs } = await this.claim(caller, draft, null);
      const outcome = isOurs ? await this.run(payment, this.process.authorize(payment, askedIn(dto), funding)) : await this.replay(payment);
      const headers = isOurs ? {} : REPLAYED;
      const { amount_usdc, session_id, purse_id } = this.answer(outcome, headers).body;
      if (outcome.credentialSealed === null) throw new CredentialLost(outcome);
      const { header, value, payload } = this.credentials.open(outcome);
      const body = {
        payment_id: outcome.id,
        authorization: value,
        header,
        amount_usdc,
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
    return paymentView((await this.store.noteReceipt(payment, receipt)) ?? payment);
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
    return paymentView(await this.find(caller, id));
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
  private async claim(caller: Caller, draft: Payment, openSession: OpenSessionDto | null): Promise<Claimed> {
    const { funding, held } = await this.funding(caller, draft, openSession);
    const { payment, isNew } = held ? { payment: held, isNew: false } : await this.store.insert(draft);
    if (isNew) return { payment, funding, isOurs: true };

    if (!payment.requestHash.equals(draft.requestHash)) throw new PaymentKeyConflict(payment.id);
    const rerun = isRerunnable(payment) ? await this.store.rerun(payment) : undefined;
    if (!rerun) return { payment, funding, isOurs: false };
    const sessionOfRerun = rerun.sessionId === null ? null : await this.sessionStore.find(rerun.sessionId);
    const purseOfRerun = rerun.purseId === null ? null : await this.purseStore.find(rerun.purseId);
    return { payment: rerun, funding: { ...funding, session: sessionOfRerun, purse: purseOfRerun }, isOurs: true };
  }

  /**
   * What a payment is to be paid with; and the payment that holds its key, where its session or purse cannot be used any more.
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
    const held = unusable && (await this.store.findByKey(caller.operatorId, draft.idempotencyKey));
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
    return { status: status === 'unknown' || status === 'created' ? 202 : 200, body: paymentView(payment), headers };
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

/** What is called. The method is null where the agent calls it. */
interface Called {
  method: string | null;
  url: string;
}

/** The origin and path of a URL: its query may carry secrets. */
function withoutQuery(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}

/** Whether the same request may run again: no credential was stored, and no rule but the balance was in the way. */
function isRerunnable({ status, rejectionReason }: Payment): boolean {
  return status === 'failed' || (status === 'rejected' && rejectionReason === 'insufficient_balance');
}

function quoteView({ method, quote }: QuotedMethod, isChosen: boolean): QuoteView {
  return {
    protocol: method.protocol,
    method: method.name,
    amount_usdc: formatUsdc(quote.microUsdc),
    payee: quote.payee,
    network: quote.network,
    category: quote.category,
    expires_at: quote.expiresAt?.toISOString() ?? null,
    chosen: isChosen,
  };
}

/** The 402 that an agent hands over. */
function askedIn({ challenges = [], payment_required: required }: AuthorizePaymentDto): Pick<Asked, 'challenges' | 'x402'> {
  const x402 = required === undefined ? null : typeof required === 'string' ? { header: required } : { object: required };
  return { challenges, x402 };
}

/** Absent without a purse, so that the hashes of other requests stay as they were. */
function purseParameters({ purse_id: id }: { purse_id?: string }): string[] {
  return id === undefined ? [] : [id];
}
