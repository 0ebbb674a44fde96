import { Injectable, type OnModuleInit } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, In, type EntityManager } from 'typeorm';
import { isAddress, type LandedOrder } from '#chain';
import { isId } from '#database';
import { AccountsService, HeldAmounts, type Holder } from '../accounts';
import { covers, requireCover, type Caller } from '../http/caller';
import { InvalidRequest, NotFound } from '../http/domain.errors';
import { type DryRunView, dryRunView, type Prediction } from '../http/dry-run';
import { parseUsdc } from '../money/usdc';
import { type Page } from '../lists/pages';
import { unsentUnlessStored } from '../http/errors/unsent';
import {
  type AllowanceAnswer,
  type AllowanceKind,
  Allowances,
  type EarlierOpening,
  openingMembers,
  type PreparedOpening,
  UNKNOWN_OPENING,
} from '../allowances';
import { InvalidRecipient, type Order, OrderForecasts, OrderReader, OrdersService, type Placed, type Simulated } from '../orders';
import type { Signed } from '../signatures';
import { SessionReader } from './store/session-reader';
import { SessionStore } from './store/session.store';
import { isOpening, SessionDrafts } from './orders/session-drafts';
import { SESSION_STATES, type SessionState } from './session.states';
import { Session } from './session.entity';
import { messageOf, sessionView, type CreateSessionDto, type ListSessionsQuery, type SessionView } from './sessions.dto';
import { SessionNotOpen } from './sessions.errors';

/** The program's errors about the payee, in the API's words. */
const PAYEE_REASONS: Record<string, string> = {
  invalid_destination: 'the payee has no USDC token account',
  destination_frozen: 'the payee’s token account is frozen',
  destination_is_source: 'it is the paying account itself',
  wrong_payee: 'the payee has no USDC token account of its own',
};

/** The session API: openings, once an idempotency key; approvals of openings and top-ups; lists. */
@Injectable()
export class SessionsService implements Holder, OnModuleInit {
  private readonly kind: AllowanceKind<Session, SessionState, SessionView>;

  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly accounts: AccountsService,
    private readonly orders: OrdersService,
    private readonly orderReader: OrderReader,
    private readonly forecasts: OrderForecasts,
    private readonly allowances: Allowances,
    private readonly reader: SessionReader,
    private readonly store: SessionStore,
    private readonly drafts: SessionDrafts,
    private readonly amounts: HeldAmounts,
  ) {
    this.kind = {
      prefix: 'sess',
      orderKind: 'session',
      states: SESSION_STATES,
      opened: (list) => this.reader.list(list),
      unopened: (ids) => this.database.manager.find(Session, { where: { id: In(ids), state: 'ordered' }, order: { id: 'DESC' } }),
      isUnopened: ({ state }) => state === 'ordered',
      view: sessionView,
    };
  }

  onModuleInit(): void {
    this.amounts.register(this);
  }

  /** The escrow of each account's open and closing sessions, in micro-USDC. What they paid has no record before they close. */
  held(accountIds: string[], manager: EntityManager): Promise<Map<string, bigint>> {
    return this.reader.inEscrow(accountIds, manager);
  }

  /** Opens a session. */
  open(caller: Caller, request: CreateSessionDto): Promise<AllowanceAnswer<SessionView>> {
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
    if (opening.kind === 'earlier') return this.forecasts.predictRepeat(opening.order, opening.account);
    requirePayee(opening.simulated?.outcome);
    return this.forecasts.predict(opening.order, opening.simulated);
  }

  /** The opening that a request asks for, simulated and not stored yet; or the one that holds its idempotency key. */
  async prepare(caller: Caller, request: CreateSessionDto): Promise<PreparedOpening<Session> | EarlierOpening> {
    const provider = this.drafts.originOf(request.provider);
    if (!isAddress(request.payee)) throw InvalidRequest.field('payee', 'must be a chain address: 32 bytes in base58');
    requireCover(caller, request.account_id);
    const account = await this.accounts.find(caller.operatorId, request.account_id);
    const opening = await this.drafts.opening(caller, account, request, provider);
    const isSame = ({ opening: shown }: LandedOrder) => shown !== null && isOpening(shown, opening.allowance, request);
    const earlier = await this.allowances.earlier(caller, opening, isSame);
    if (earlier) {
      await this.store.nameProvider(earlier.order.id, provider);
      return earlier;
    }
    if (request.payee === account.chainAddress) throw new InvalidRecipient('it is the paying account itself');
    return this.allowances.prepare(caller, opening, provider);
  }

  /** Stores and executes a prepared opening, or repeats the earlier one. */
  async place(caller: Caller, opening: PreparedOpening<Session> | EarlierOpening): Promise<AllowanceAnswer<SessionView>> {
    if (opening.kind === 'earlier') return this.answer(await this.orders.repeat(opening.order));
    const { order, allowance: session, simulated } = opening;
    return this.answer(await this.orders.place(caller, order, simulated, this.store.insertion(session)), session);
  }

  /** Approves an opening or a top-up that waits: it is simulated again and executed. @throws NotFound, Conflict, SignatureRequired */
  async approve(caller: Caller, orderId: string, signed: Signed | null): Promise<AllowanceAnswer<SessionView>> {
    return this.answer(await this.orders.approve(await this.findOrder(caller, orderId), caller, signed));
  }

  /** An opening or a top-up of the caller's. @throws NotFound, also for another's. */
  async findOrder(caller: Caller, orderId: string): Promise<Order> {
    const order = await this.orderReader.findIfStored(orderId);
    const isCallers = order !== undefined && order.operatorId === caller.operatorId && covers(caller, order.accountId);
    if (!isCallers || order.sessionId === null) throw new NotFound('There is no such session.');
    return order;
  }

  /** The opening or the top-up of the caller's session that waits. @throws NotFound, SessionNotOpen */
  async waitingOrder(caller: Caller, id: string): Promise<Order> {
    const session = await this.find(caller, id);
    if (session.state === 'ordered') return this.orderReader.find(session.id);
    const order = session.state === 'open' ? await this.orderReader.waitingOf(session, 'top_up') : undefined;
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

  list(caller: Caller, query: ListSessionsQuery): Promise<Page<SessionView>> {
    return this.allowances.list(caller, query, this.kind);
  }

  /** The caller's session. @throws NotFound, also for another's. */
  async find(caller: Caller, id: string): Promise<Session> {
    const session = isId('sess', id) ? await this.reader.findOf(caller.operatorId, id) : undefined;
    if (!session || !covers(caller, session.accountId)) throw new NotFound('There is no such session.');
    return session;
  }

  async view(session: Session): Promise<SessionView> {
    return sessionView(session, await this.allowances.openingOf(this.kind, session));
  }

  /** `known` is the session before its order ran. A top-up that waits or is on its way leaves its session open; the answer describes it. */
  answer(placed: Placed, known?: Session): Promise<AllowanceAnswer<SessionView>> {
    const { order } = placed;
    const view = async (): Promise<SessionView> => {
      const body = await this.view(await this.reader.find(order.sessionId ?? ''));
      return order.kind === 'top_up' && order.status !== 'settled' ? { ...body, ...topUpMembers(order) } : body;
    };
    return this.allowances.answer(placed, view, known && { ...sessionView(known, UNKNOWN_OPENING), status: 'opening' });
  }
}

/** The members of an answer that tell of a top-up and not of its session. */
function topUpMembers({ status: ordered, approvalExpiresAt, rejectionReason }: Order): Partial<SessionView> {
  const status = ordered === 'pending_approval' ? 'pending_approval' : 'opening';
  return { status, ...openingMembers(status, { status: ordered, approvalExpiresAt, rejectionReason }, messageOf(status)) };
}

/** @throws InvalidRecipient if the program says that the payee cannot be paid. */
export function requirePayee(outcome: Simulated['outcome'] | undefined): void {
  const defect = outcome?.kind === 'failed' ? PAYEE_REASONS[outcome.failure.reason] : undefined;
  if (defect !== undefined) throw new InvalidRecipient(defect);
}
