import { Injectable, type OnModuleInit } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, In, type EntityManager } from 'typeorm';
import { LocalSigner, isAddress, type SessionOpening } from '#chain';
import { isId, storageFault } from '#database';
import { type Account, AccountsService, HeldAmounts, type Holder } from '../accounts';
import { Clock } from '../runtime/clock';
import { Config } from '../runtime/config';
import { covers, requireCover, type Caller } from '../http/caller';
import { InvalidRequest, NotFound, StorageUnavailable } from '../http/domain.errors';
import { type DryRunView, dryRunView, type Prediction } from '../http/dry-run';
import { referencedBy, referenceOf } from '../lists/references';
import { parseUsdc } from '../money/usdc';
import { providerUrlDefect } from '../egress/url-policy';
import { pageConditions, toPage, type Page } from '../lists/pages';
import { unsentUnlessStored } from '../http/unsent';
import { EncryptionService } from '../secrets';
import {
  declinedBy,
  hashOfRequest,
  InvalidRecipient,
  type Order,
  OrderLists,
  OrdersService,
  type OrderStatus,
  type Placed,
  requireNoDecline,
  type Simulated,
} from '../orders';
import { AllowedHosts } from '../providers';
import type { Signed } from '../signatures';
import { SessionStore } from './session.store';
import { SESSION_STATES, type SessionState } from './session.states';
import { SessionOpeningHandler } from './session.handlers';
import { hashOfProvider, Session } from './session.entity';
import {
  DEFAULT_EXPIRY_SECONDS,
  messageOf,
  sessionView,
  type CreateSessionDto,
  type ListSessionsQuery,
  type Opening,
  type SessionView,
} from './sessions.dto';
import { SessionNotOpen } from './sessions.errors';

/** The program's errors about the payee, in the API's words. */
const PAYEE_REASONS: Record<string, string> = {
  invalid_destination: 'the payee has no USDC token account',
  destination_frozen: 'the payee’s token account is frozen',
  destination_is_source: 'it is the paying account itself',
  wrong_payee: 'the payee has no USDC token account of its own',
};

/** The answer to a request. A decline is thrown. */
export interface SessionAnswer {
  status: 201 | 202;
  body: SessionView;
  headers: Record<string, string>;
}

/** An opening that was simulated and is not stored. */
export interface PreparedOpening {
  kind: 'new';
  order: Order;
  session: Session;
  /** Undefined while the chain is unavailable. */
  simulated: Simulated | undefined;
}

/** The opening that an earlier request with the same idempotency key placed. */
export interface EarlierOpening {
  kind: 'earlier';
  order: Order;
  account: Account;
}

/** The session API: openings, once an idempotency key; approvals of openings and top-ups; lists. */
@Injectable()
export class SessionsService implements Holder, OnModuleInit {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly encryption: EncryptionService,
    private readonly accounts: AccountsService,
    private readonly orders: OrdersService,
    private readonly lists: OrderLists,
    private readonly store: SessionStore,
    private readonly handler: SessionOpeningHandler,
    private readonly amounts: HeldAmounts,
    private readonly hosts: AllowedHosts,
  ) {}

  onModuleInit(): void {
    this.amounts.register(this);
  }

  /** The escrow of each account's open and closing sessions, in micro-USDC. What they paid has no record before they close. */
  held(accountIds: string[], manager: EntityManager): Promise<Map<string, bigint>> {
    return this.store.inEscrow(accountIds, manager);
  }

  /** Opens a session. */
  open(caller: Caller, request: CreateSessionDto): Promise<SessionAnswer> {
    return unsentUnlessStored(async () => {
      const opening = await this.prepare(caller, request);
      if (opening.kind === 'new') requirePayee(opening.simulated?.outcome);
      return this.place(caller, opening);
    });
  }

  /** The outcome that opening a session would have. Nothing is stored or sent. */
  dryRun(caller: Caller, request: CreateSessionDto): Promise<DryRunView> {
    return dryRunView(parseUsdc(request.cap), this.predict(caller, request));
  }

  private async predict(caller: Caller, request: CreateSessionDto): Promise<Prediction> {
    const opening = await this.prepare(caller, request);
    if (opening.kind === 'earlier') return this.orders.predictRepeat(opening.order, opening.account);
    requirePayee(opening.simulated?.outcome);
    return this.orders.predict(opening.order, opening.simulated);
  }

  /** The opening that a request asks for, simulated and not stored yet; or the one that holds its idempotency key. */
  async prepare(caller: Caller, request: CreateSessionDto): Promise<PreparedOpening | EarlierOpening> {
    const provider = this.originOf(request.provider);
    if (!isAddress(request.payee)) throw InvalidRequest.field('payee', 'must be a chain address: 32 bytes in base58');
    requireCover(caller, request.account_id);
    const account = await this.accounts.find(caller.operatorId, request.account_id);
    const session = await this.draft(account, request, provider);
    const order = await this.openingOf(caller, session, request);
    const stored = await this.orders.findByKey(order, request.idempotency_key);
    const earlier = await this.orders.earlier(order, {
      caller,
      account,
      stored,
      isSame: ({ opening }) => opening !== null && isOpening(opening, session),
    });
    if (earlier) {
      await this.store.nameProvider(earlier.id, provider);
      return { kind: 'earlier', order: earlier, account };
    }
    if (request.payee === account.chainAddress) throw new InvalidRecipient('it is the paying account itself');
    const instruction = this.handler.instructionFor(order, session);
    const barred = this.hosts.violation(account, caller, provider);
    const simulated = barred ? declinedBy(barred, account, instruction) : await this.orders.simulate(order, account, instruction);
    return { kind: 'new', order, session, simulated };
  }

  /** The order that opens a session, not stored. */
  private openingOf(caller: Caller, session: Session, request: CreateSessionDto): Promise<Order> {
    const { id, accountId, provider, payee, capMicroUsdc, category, expiresInSeconds, graceSeconds } = session;
    return this.orders.draft({
      id,
      kind: 'session',
      operatorId: caller.operatorId,
      accountId,
      sessionId: id,
      idempotencyKey: request.idempotency_key,
      requestHash: hashOfRequest([accountId, provider, payee, capMicroUsdc.toString(), category, expiresInSeconds, graceSeconds]),
      payee,
      microUsdc: capMicroUsdc,
      category,
      createdBy: caller.keyId,
      byAgent: caller.type === 'agent',
      ...referenceOf(session),
    });
  }

  /** Stores and executes a prepared opening, or repeats the earlier one. */
  async place(caller: Caller, opening: PreparedOpening | EarlierOpening): Promise<SessionAnswer> {
    if (opening.kind === 'earlier') return this.answer(await this.orders.repeat(opening.order));
    const { order, session, simulated } = opening;
    return this.answer(await this.orders.place(caller, order, simulated, this.store.insertion(session)), session);
  }

  /** Approves an opening or a top-up that waits: it is simulated again and executed. @throws NotFound, Conflict, SignatureRequired */
  async approve(caller: Caller, orderId: string, signed: Signed | null): Promise<SessionAnswer> {
    return this.answer(await this.orders.approve(await this.findOrder(caller, orderId), caller, signed));
  }

  /** An opening or a top-up of the caller's. @throws NotFound, also for another's. */
  async findOrder(caller: Caller, orderId: string): Promise<Order> {
    const order = await this.orders.findIfStored(orderId);
    const isCallers = order !== undefined && order.operatorId === caller.operatorId && covers(caller, order.accountId);
    if (!isCallers || order.sessionId === null) throw new NotFound('There is no such session.');
    return order;
  }

  /** The opening or the top-up of the caller's session that waits. @throws NotFound, SessionNotOpen */
  async waitingOrder(caller: Caller, id: string): Promise<Order> {
    const session = await this.find(caller, id);
    if (session.state === 'ordered') return this.orders.find(session.id);
    const order = session.state === 'open' ? await this.orders.waitingOf(session, 'top_up') : undefined;
    if (!order) throw new SessionNotOpen(session.id, session.state);
    return order;
  }

  /** Denies an opening or a top-up that waits. */
  async deny(caller: Caller, id: string, reason: string | undefined): Promise<SessionView> {
    const order = await this.waitingOrder(caller, id);
    await this.orders.deny(order, caller, reason);
    return this.show(caller, id);
  }

  async show(caller: Caller, id: string): Promise<SessionView> {
    return this.view(await this.find(caller, id));
  }

  async list(caller: Caller, query: ListSessionsQuery): Promise<Page<SessionView>> {
    const accountIds = await this.accounts.listed(caller, { account_id: query.account_id });
    const status = query.status === undefined ? undefined : STATUSES[query.status];
    const sessions =
      status && 'opening' in status
        ? await this.withOpening(caller.operatorId, accountIds, status.opening, query)
        : await this.store.list({
            operatorId: caller.operatorId,
            accountIds,
            states: status ? [status.state] : SESSION_STATES,
            filters: pageConditions('sess', query),
            limit: query.limit + 1,
          });
    const openings = await this.openings(sessions);
    return toPage(sessions, query, (session) => sessionView(session, openings.get(session.id) ?? OPENED));
  }

  /** Sessions that are not open, by the status of their opening order. */
  private async withOpening(
    operatorId: string,
    accountIds: readonly string[] | null,
    statuses: OrderStatus[],
    query: ListSessionsQuery,
  ): Promise<Session[]> {
    const ids = await this.lists.openingIds(
      { kind: 'session', operatorId, accountIds, statuses },
      { before: query.cursor, limit: query.limit + 1 },
    );
    return this.database.manager.find(Session, { where: { id: In(ids), state: 'ordered' }, order: { id: 'DESC' } });
  }

  /** The caller's session. @throws NotFound, also for another's. */
  async find(caller: Caller, id: string): Promise<Session> {
    const session = isId('sess', id) ? await this.store.findOf(caller.operatorId, id) : undefined;
    if (!session || !covers(caller, session.accountId)) throw new NotFound('There is no such session.');
    return session;
  }

  async view(session: Session): Promise<SessionView> {
    return sessionView(session, session.state === 'ordered' ? await this.orders.current(session.id) : OPENED);
  }

  /** `known` is the session before its order ran, and is shown where the database cannot say how it is now: the order is stored. */
  async answer({ order, headers }: Placed, known?: Session): Promise<SessionAnswer> {
    requireNoDecline(order, headers);
    let body: SessionView;
    try {
      body = await this.view(await this.store.find(order.sessionId ?? ''));
    } catch (error) {
      if (!storageFault(error)) throw error;
      if (!known) throw new StorageUnavailable();
      return { status: 202, body: { ...sessionView(known, UNKNOWN_OPENING), status: 'opening' }, headers };
    }
    if (order.status === 'settled') return { status: 201, body, headers };
    // A top-up that waits or is on its way leaves its session open; the answer describes the top-up.
    const status = order.status === 'pending_approval' ? 'pending_approval' : 'opening';
    const approval = order.approvalExpiresAt && { required_by: 'operator' as const, expires_at: order.approvalExpiresAt.toISOString() };
    return {
      status: 202,
      body:
        order.kind === 'top_up'
          ? { ...body, status, ...(approval && status === 'pending_approval' && { approval }), message: messageOf(status) ?? '' }
          : body,
      headers,
    };
  }

  private async draft(account: Account, order: CreateSessionDto, provider: string): Promise<Session> {
    const { operatorId } = account;
    const id = await this.orders.newId({ operatorId, kind: 'session', idempotencyKey: order.idempotency_key });
    const { seed, signer } = LocalSigner.generate();
    return this.database.manager.create(Session, {
      id,
      operatorId,
      accountId: account.id,
      provider,
      payee: order.payee,
      category: order.category ?? null,
      ...referencedBy(order),
      graceSeconds: order.grace_seconds ?? 0,
      expiresInSeconds: order.expires_in_seconds ?? DEFAULT_EXPIRY_SECONDS,
      voucherKey: signer.address,
      voucherKeySealed: this.encryption.seal('session-voucher-key', id, seed),
      capMicroUsdc: parseUsdc(order.cap),
      // As the database sets them.
      state: 'ordered',
      acceptedMicroUsdc: 0n,
      settledMicroUsdc: 0n,
      returnedMicroUsdc: 0n,
      address: null,
      openSignature: null,
      endSignature: null,
      createdAt: this.clock.now(),
    });
  }

  private async openings(sessions: Session[]): Promise<Map<string, Opening>> {
    const ids = sessions.filter(({ state }) => state === 'ordered').map(({ id }) => id);
    return new Map(await Promise.all(ids.map(async (id) => [id, await this.orders.current(id)] as const)));
  }

  /** @throws InvalidRequest for what is no origin that may be called. */
  private originOf(provider: string): string {
    const defect = providerUrlDefect(provider, { allowPrivate: this.config.ALLOW_PRIVATE_URLS });
    if (defect !== undefined) throw InvalidRequest.field('provider', defect);
    const url = new URL(provider);
    if (url.pathname !== '/' || url.search !== '' || url.hash !== '')
      throw InvalidRequest.field('provider', 'must be an origin, such as https://api.example.com, without a path');
    return url.origin;
  }
}

/** An opening whose outcome the database cannot be asked for. */
const UNKNOWN_OPENING: Opening = { status: 'submitted', approvalExpiresAt: null, rejectionReason: null };
const OPENED: Opening = { status: 'settled', approvalExpiresAt: null, rejectionReason: null };

/** Each status of the API as the state of the session, or as the status of its opening order. */
const STATUSES: Record<NonNullable<ListSessionsQuery['status']>, { state: SessionState } | { opening: OrderStatus[] }> = {
  open: { state: 'open' },
  closing: { state: 'closing' },
  settled: { state: 'settled' },
  opening: { opening: ['created', 'submitted'] },
  pending_approval: { opening: ['pending_approval'] },
  rejected: { opening: ['rejected'] },
  failed: { opening: ['failed'] },
};

/** @throws InvalidRecipient where the program says that the payee cannot be paid. */
export function requirePayee(outcome: Simulated['outcome'] | undefined): void {
  const defect = outcome?.kind === 'failed' ? PAYEE_REASONS[outcome.failure.reason] : undefined;
  if (defect !== undefined) throw new InvalidRecipient(defect);
}

/** Whether the chain shows a session that was opened as a request asks. */
function isOpening({ payee, providerHash, openedAt, expiresAt, graceSeconds }: SessionOpening, session: Session): boolean {
  const isSameTime = expiresAt.getTime() - openedAt.getTime() === session.expiresInSeconds * 1000 && graceSeconds === session.graceSeconds;
  return payee === session.payee && hashOfProvider(session.provider).equals(providerHash) && isSameTime;
}
