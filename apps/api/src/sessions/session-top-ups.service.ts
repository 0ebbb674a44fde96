import { Injectable } from '@nestjs/common';
import { newId } from '#database';
import { type Account, AccountsService } from '../accounts';
import type { Caller } from '../http/caller';
import { type DryRunView, dryRunView, type Prediction } from '../http/dry-run';
import { unsentUnlessStored } from '../http/unsent';
import { parseUsdc } from '../money/usdc';
import { hashOfRequest, type Order, OrdersService, requireSameRequest, type Simulated } from '../orders';
import { Clock } from '../runtime/clock';
import type { Session } from './session.entity';
import type { TopUpSessionDto } from './sessions.dto';
import { SessionNotOpen, TopUpWaiting } from './sessions.errors';
import { type SessionAnswer, SessionsService } from './sessions.service';

/** Top-ups: they add to the cap of an open session, once an idempotency key. */
@Injectable()
export class SessionTopUpsService {
  constructor(
    private readonly clock: Clock,
    private readonly accounts: AccountsService,
    private readonly orders: OrdersService,
    private readonly sessions: SessionsService,
  ) {}

  /** Tops a session up. @throws NotFound, SessionNotOpen, TopUpWaiting, IdempotencyConflict, Rejected */
  topUp(caller: Caller, id: string, request: TopUpSessionDto): Promise<SessionAnswer> {
    return unsentUnlessStored(() => this.place(caller, id, request));
  }

  /** What topping a session up would lead to. Nothing is stored or sent. */
  dryRun(caller: Caller, id: string, request: TopUpSessionDto): Promise<DryRunView> {
    return dryRunView(parseUsdc(request.amount), this.predict(caller, id, request));
  }

  private async predict(caller: Caller, id: string, request: TopUpSessionDto): Promise<Prediction> {
    const { session, earlier, requestHash } = await this.lookFor(caller, id, request);
    const account = await this.accounts.find(caller.operatorId, session.accountId);
    if (earlier) return this.orders.predictRepeat(earlier, account);
    const { draft, simulated } = await this.simulate(session, account, request, requestHash);
    return this.orders.predict(draft, simulated);
  }

  private async place(caller: Caller, id: string, request: TopUpSessionDto): Promise<SessionAnswer> {
    const { session, earlier, requestHash } = await this.lookFor(caller, id, request);
    if (earlier) return this.sessions.answer(await this.orders.repeat(earlier));
    const account = await this.accounts.find(caller.operatorId, session.accountId);
    const { draft, simulated } = await this.simulate(session, account, request, requestHash);
    return this.sessions.answer(await this.orders.place(draft, simulated), session);
  }

  /** The session of a top-up, and the order that holds its key. @throws NotFound, IdempotencyConflict */
  private async lookFor(
    caller: Caller,
    id: string,
    request: TopUpSessionDto,
  ): Promise<{ session: Session; earlier: Order | undefined; requestHash: Buffer }> {
    const session = await this.sessions.find(caller, id);
    const requestHash = hashOfRequest([session.id, parseUsdc(request.amount).toString()]);
    const earlier = await this.orders.findByKey(caller.operatorId, 'top_up', request.idempotency_key);
    if (earlier) requireSameRequest(earlier, requestHash);
    return { session, earlier, requestHash };
  }

  /** A new top-up, simulated and not stored. @throws SessionNotOpen, TopUpWaiting */
  private async simulate(
    session: Session,
    account: Account,
    request: TopUpSessionDto,
    requestHash: Buffer,
  ): Promise<{ draft: Order; simulated: Simulated | undefined }> {
    if (session.state !== 'open') throw new SessionNotOpen(session.id, (await this.sessions.view(session)).status);
    if (await this.orders.waitingOf(session, 'top_up')) throw new TopUpWaiting(session.id);
    const draft = this.orders.draft({
      id: newId('top', this.clock.now()),
      kind: 'top_up',
      operatorId: account.operatorId,
      accountId: account.id,
      sessionId: session.id,
      idempotencyKey: request.idempotency_key,
      requestHash,
      payee: session.payee,
      microUsdc: parseUsdc(request.amount),
      category: session.category,
    });
    const simulated = await this.orders.simulate(draft, account);
    const reason = simulated?.outcome.kind === 'failed' ? simulated.outcome.failure.reason : '';
    if (reason === 'session_not_open' || reason === 'session_expired')
      throw new SessionNotOpen(session.id, reason === 'session_expired' ? 'expired' : 'closing');
    return { draft, simulated };
  }
}
