import { createHash } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { isId, newId, storageFault } from '#database';
import { parseReceipt } from '#mpp';
import { AccountsService } from '../accounts';
import { Clock } from '../runtime/clock';
import { Config } from '../runtime/config';
import { covers, requireCover, type Caller } from '../http/caller';
import { InvalidRequest, NotFound, StorageUnavailable } from '../http/domain.errors';
import { parseUsdc } from '../money/usdc';
import { providerUrlDefect } from '../egress/url-policy';
import { pageWindow, toPage, type Page } from '../http/pages';
import { unsentUnlessStored } from '../http/unsent';
import { Rejected } from '../orders';
import { JobsService } from '../jobs/jobs.service';
import { Credentials } from './credentials';
import { PayerService, type Means } from './payer.service';
import { PaymentStore } from './payment.store';
import { Payment } from './payment.entity';
import {
  paymentView,
  type AuthorizePaymentDto,
  type CreatePaymentDto,
  type ListPaymentsQuery,
  type PaymentView,
  type ProviderRequestDto,
} from './payments.dto';
import { CredentialLost, PaymentKeyConflict, paymentFailureError } from './payments.errors';
import { ProviderClient, receiptFor } from './provider-client';
import { DEFAULT_EXPIRY_SECONDS, type Session, SessionNotOpen, SessionsService } from '../sessions';

const RECOVER_EVERY_MS = 2_000;
const FORGET_EVERY_MS = 10 * 60_000;
const BATCH = 50;
/** How often in the length of a lease what this process works on is kept for it. */
const RENEWALS_PER_LEASE = 3;
/** How long a repeated request waits for the first one: two calls of the provider and the chain in between. */
const OUTCOME_WAIT_MS = 90_000;
const LOOK_EVERY_MS = 100;

/** What a request is answered: declines are thrown. */
export interface PaymentAnswer {
  status: 200 | 202;
  body: PaymentView;
  headers: Record<string, string>;
}

/** An agent that calls the provider itself gets this. */
export interface AuthorizationView {
  payment_id: string;
  authorization: string;
  /** The header that it goes into. */
  header: string;
  amount_usdc: string;
  session_id: string | null;
}

/** Payments: made once a key, shown, and brought to an end after a halt. */
@Injectable()
export class PaymentsService implements OnModuleInit, OnModuleDestroy {
  private readonly logger = new Logger('Payments');
  private readonly running = new Map<string, Promise<Payment>>();
  private renewal: NodeJS.Timeout | undefined;

  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly accounts: AccountsService,
    private readonly sessions: SessionsService,
    private readonly calls: ProviderClient,
    private readonly credentials: Credentials,
    private readonly payer: PayerService,
    private readonly store: PaymentStore,
    private readonly jobs: JobsService,
  ) {}

  onModuleInit(): void {
    this.jobs.register({ name: 'payment-recovery', everyMs: RECOVER_EVERY_MS, sweep: () => this.recover() });
    this.jobs.register({
      name: 'payment-answers',
      everyMs: FORGET_EVERY_MS,
      sweep: async () => void (await this.store.forget(BATCH * 10)),
    });
    this.renewal = setInterval(() => void this.renew(), this.config.LEASE_MS / RENEWALS_PER_LEASE).unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.renewal);
  }

  pay(caller: Caller, order: CreatePaymentDto): Promise<PaymentAnswer> {
    return unsentUnlessStored(() => this.payOnce(caller, order));
  }

  private async payOnce(caller: Caller, order: CreatePaymentDto): Promise<PaymentAnswer> {
    const { request, open_session: openSession = null } = order;
    const provider = this.originOf(request.url, 'request.url');
    const kept = { method: request.method, url: request.url, headers: request.headers ?? {}, body: bodyOf(request) };
    const parameters = [
      order.account_id,
      parseUsdc(order.max_amount).toString(),
      kept,
      order.session_id ?? null,
      openSession && [parseUsdc(openSession.cap).toString(), openSession.expires_in_seconds ?? DEFAULT_EXPIRY_SECONDS],
    ];
    const { payment, headers } = await this.once(
      caller,
      order,
      { mode: 'pay', provider, parameters },
      (id) => this.calls.seal(id, kept),
      async (placed, means) => this.payer.pay(placed, kept, { ...means, openSession }),
    );
    return { ...this.answer(payment, headers), headers };
  }

  authorize(caller: Caller, order: AuthorizePaymentDto): Promise<{ body: AuthorizationView; headers: Record<string, string> }> {
    return unsentUnlessStored(() => this.authorizeOnce(caller, order));
  }

  private async authorizeOnce(
    caller: Caller,
    order: AuthorizePaymentDto,
  ): Promise<{ body: AuthorizationView; headers: Record<string, string> }> {
    const provider = this.originOf(order.url, 'url');
    const parameters = [order.account_id, parseUsdc(order.max_amount).toString(), order.url, order.challenges, order.session_id ?? null];
    const { payment, headers } = await this.once(
      caller,
      order,
      { mode: 'authorize', provider, parameters },
      () => null,
      (placed, means) => this.payer.authorize(placed, means, order.challenges),
    );
    const { body } = this.answer(payment, headers);
    if (payment.credentialSealed === null) throw new CredentialLost(payment);
    const { header, value } = this.credentials.open(payment);
    return {
      body: { payment_id: payment.id, authorization: value, header, amount_usdc: body.amount_usdc, session_id: payment.sessionId },
      headers,
    };
  }

  async noteReceipt(caller: Caller, id: string, receipt: string): Promise<PaymentView> {
    const payment = await this.find(caller, id);
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
    return paymentView((await this.store.noteReceipt(payment, receipt)) ?? payment);
  }

  async show(caller: Caller, id: string): Promise<PaymentView> {
    return paymentView(await this.find(caller, id));
  }

  /** A session's payments, newest first. */
  async ofSession(caller: Caller, sessionId: string, query: ListPaymentsQuery): Promise<Page<PaymentView>> {
    const session = await this.sessions.find(caller, sessionId);
    const { where, ...window } = pageWindow(query);
    return toPage(await this.database.manager.find(Payment, { ...window, where: { ...where, sessionId: session.id } }), query, paymentView);
  }

  /** Runs a new payment, or answers as the one did that has the key. */
  private async once(
    caller: Caller,
    order: { account_id: string; session_id?: string; idempotency_key: string; max_amount: string },
    { mode, provider, parameters }: { mode: Payment['mode']; provider: string; parameters: unknown[] },
    sealRequest: (id: string) => string | null,
    work: (payment: Payment, means: Means) => Promise<Payment>,
  ): Promise<{ payment: Payment; headers: Record<string, string> }> {
    requireCover(caller, order.account_id);
    const requestHash = createHash('sha256')
      .update(JSON.stringify([mode, ...parameters]))
      .digest();
    const named = order.session_id === undefined ? null : this.openSession(caller, order.session_id, order.account_id, provider);
    named?.catch(() => undefined); // whoever awaits it is told
    const account = await this.accounts.find(caller.operatorId, order.account_id);
    const again = (payment: Payment): Promise<Payment> => work(payment, { caller, account, session: null, openSession: null });
    let session: Session | null;
    try {
      session = await named;
    } catch (error) {
      // A session that was open then need not be now.
      const earlier = await this.store.findByKey(caller.operatorId, order.idempotency_key);
      if (!earlier) throw error;
      return this.repeat(earlier, requestHash, again);
    }

    const now = this.clock.now();
    const id = newId('pay', now);
    const draft = this.database.manager.create(Payment, {
      id,
      operatorId: caller.operatorId,
      accountId: account.id,
      sessionId: order.session_id ?? null,
      idempotencyKey: order.idempotency_key,
      requestHash,
      mode,
      maxMicroUsdc: parseUsdc(order.max_amount),
      provider,
      requestSealed: sealRequest(id),
      createdAt: now,
    });
    const { payment, isNew } = await this.store.insert(draft);
    if (!isNew) return this.repeat(payment, requestHash, again);
    return { payment: await this.stored(payment, work(payment, { caller, account, session, openSession: null })), headers: {} };
  }

  private async repeat(
    payment: Payment,
    requestHash: Buffer,
    again: (payment: Payment) => Promise<Payment>,
  ): Promise<{ payment: Payment; headers: Record<string, string> }> {
    if (!payment.requestHash.equals(requestHash)) throw new PaymentKeyConflict(payment.id);
    const isRerunnable =
      payment.status === 'failed' || (payment.status === 'rejected' && payment.rejectionReason === 'insufficient_balance');
    const rerun = isRerunnable ? await this.store.rerun(payment) : undefined;
    if (rerun) return { payment: await this.stored(rerun, again(rerun)), headers: {} };
    try {
      return { payment: await this.outcome(payment.id), headers: { 'Idempotent-Replayed': 'true' } };
    } catch (error) {
      throw storageFault(error) ? new StorageUnavailable() : error;
    }
  }

  /**
   * Works on a payment that is stored. Where the database goes away its outcome is unknown, and the recovery finds it.
   * @throws StorageUnavailable where the answer would be a credential.
   */
  private async stored(payment: Payment, running: Promise<Payment>): Promise<Payment> {
    try {
      return await this.run(payment, running);
    } catch (error) {
      if (!storageFault(error)) throw error;
      this.logger.warn(`The outcome of ${payment.id} is not known: ${String(error)}`);
      if (payment.mode === 'authorize') throw new StorageUnavailable();
      return payment;
    }
  }

  /** Works on a payment whose lease this process holds; whoever asks for the same waits for the same outcome. */
  private run({ id }: Payment, running: Promise<Payment>): Promise<Payment> {
    this.running.set(id, running);
    const forget = (): void => void this.running.delete(id);
    running.then(forget, forget);
    return running;
  }

  /** What became of a payment that somebody is at work on, or as it stands after a while. */
  private async outcome(id: string): Promise<Payment> {
    const until = performance.now() + OUTCOME_WAIT_MS;
    for (;;) {
      const here = this.running.get(id);
      if (here) return here;
      const payment = await this.store.find(id);
      if (payment.status !== 'created' || performance.now() > until) return payment;
      await setTimeout(LOOK_EVERY_MS);
    }
  }

  private answer(payment: Payment, headers: Record<string, string>): PaymentAnswer {
    const { status, failure, rejectionReason, refusal } = payment;
    if (status === 'rejected') throw new Rejected({ payment_id: payment.id }, { reason: rejectionReason ?? '', refusal }, headers);
    if (status === 'failed' && failure) throw paymentFailureError(payment, failure);
    return { status: status === 'unknown' || status === 'created' ? 202 : 200, body: paymentView(payment), headers };
  }

  /** @throws NotFound, SessionNotOpen, and InvalidRequest for a session that is another account's or another provider's. */
  private async openSession(caller: Caller, sessionId: string, accountId: string, provider: string): Promise<Session> {
    const session = await this.sessions.find(caller, sessionId);
    if (session.accountId !== accountId) throw InvalidRequest.field('session_id', 'is a session of another account');
    if (session.state !== 'open') throw new SessionNotOpen(session.id, (await this.sessions.view(session)).status);
    if (session.provider !== provider) throw InvalidRequest.field('session_id', `is a session for ${session.provider}`);
    return session;
  }

  private async find(caller: Caller, id: string): Promise<Payment> {
    const [payment] = isId('pay', id) ? await this.store.select('id = $1 AND operator_id = $2', [id, caller.operatorId]) : [];
    if (!payment || !covers(caller, payment.accountId)) throw new NotFound('There is no such payment.');
    return payment;
  }

  /** @throws InvalidRequest for a URL that may not be called: https only, and http on this machine in the sandbox. */
  private originOf(text: string, field: string): string {
    const defect = providerUrlDefect(text, { allowPrivate: this.config.ALLOW_PRIVATE_URLS });
    if (defect !== undefined) throw InvalidRequest.field(field, defect);
    return new URL(text).origin;
  }

  private async recover(): Promise<void> {
    const overdue = (await this.store.claimOverdue(BATCH)).filter(({ id }) => !this.running.has(id));
    const outcomes = await Promise.allSettled(overdue.map((payment) => this.run(payment, this.payer.resume(payment))));
    for (const [index, outcome] of outcomes.entries()) {
      const id = overdue[index]?.id;
      if (outcome.status === 'fulfilled') this.logger.log(`${id} is ${outcome.value.status}`);
      else this.logger.warn(`${id} is not recovered yet: ${String(outcome.reason)}`);
    }
  }

  private async renew(): Promise<void> {
    if (this.running.size === 0) return;
    await this.store
      .renewLeases([...this.running.keys()])
      .catch((error: unknown) => this.logger.warn(`Leases were not renewed: ${String(error)}`));
  }
}

function bodyOf({ body, body_base64: bytes }: ProviderRequestDto): string | null {
  return body === undefined ? (bytes ?? null) : Buffer.from(body).toString('base64');
}
