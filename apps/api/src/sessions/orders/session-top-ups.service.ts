import { Injectable } from '@nestjs/common';
import type { LandedOrder } from '#chain';
import type { AllowanceAnswer } from '../../allowances';
import { type Account, AccountsService } from '../../accounts';
import type { Caller } from '../../http/caller';
import { type DryRunView, dryRunView, type Prediction } from '../../http/dry-run';
import { unsentUnlessStored } from '../../http/errors/unsent';
import { parseUsdc } from '../../money/usdc';
import { hashOfRequest, type Order, OrderDrafts, OrderForecasts, OrderReader, OrdersService, type Simulated } from '../../orders';
import type { Session } from '../session.entity';
import type { SessionView, TopUpSessionDto } from '../sessions.dto';
import { SessionNotOpen, TopUpWaiting } from '../sessions.errors';
import { SessionsService } from '../sessions.service';

/** Top-ups: they add to the cap of an open session, once an idempotency key. */
@Injectable()
export class SessionTopUpsService {
  constructor(
    private readonly accounts: AccountsService,
    private readonly orders: OrdersService,
    private readonly orderReader: OrderReader,
    private readonly orderDrafts: OrderDrafts,
    private readonly forecasts: OrderForecasts,
    private readonly sessions: SessionsService,
  ) {}

  /** Tops a session up. @throws NotFound, SessionNotOpen, TopUpWaiting, IdempotencyConflict, Rejected */
  topUp(caller: Caller, id: string, request: TopUpSessionDto): Promise<AllowanceAnswer<SessionView>> {
    return unsentUnlessStored(() => this.place(caller, id, request));
  }

  /** The outcome that topping a session up would have. Nothing is stored or sent. */
  dryRun(caller: Caller, id: string, request: TopUpSessionDto): Promise<DryRunView> {
    return dryRunView(parseUsdc(request.amount), this.predict(caller, id, request));
  }

  private async predict(caller: Caller, id: string, request: TopUpSessionDto): Promise<Prediction> {
    const { session, account, earlier, draft } = await this.lookFor(caller, id, request);
    if (earlier) return this.forecasts.predictRepeat(earlier, account);
    return this.forecasts.predict(draft, await this.simulate(session, account, draft));
  }

  private async place(caller: Caller, id: string, request: TopUpSessionDto): Promise<AllowanceAnswer<SessionView>> {
    const { session, account, earlier, draft } = await this.lookFor(caller, id, request);
    if (earlier) return this.sessions.answer(await this.orders.repeat(earlier));
    return this.sessions.answer(await this.orders.place(caller, draft, await this.simulate(session, account, draft)), session);
  }

  /** The session of a top-up, the top-up, which is not stored, and the order that holds its key. @throws NotFound, IdempotencyConflict */
  private async lookFor(
    caller: Caller,
    id: string,
    request: TopUpSessionDto,
  ): Promise<{ session: Session; account: Account; earlier: Order | undefined; draft: Order }> {
    const session = await this.sessions.find(caller, id);
    const { operatorId } = caller;
    const key = { operatorId, kind: 'top_up', idempotencyKey: request.idempotency_key } as const;
    const [account, stored] = await Promise.all([
      this.accounts.findEver(operatorId, session.accountId),
      this.orderReader.findByKey({ ...key, accountId: session.accountId }, key.idempotencyKey),
    ]);
    const draft = await this.orderDrafts.draft({
      id: await this.orderDrafts.newId(key),
      ...key,
      byAgent: caller.type === 'agent',
      accountId: account.id,
      sessionId: session.id,
      requestHash: hashOfRequest([session.id, parseUsdc(request.amount).toString()]),
      payee: session.payee,
      microUsdc: parseUsdc(request.amount),
      category: session.category,
    });
    const isSame = ({ session: address }: LandedOrder) => address === session.address;
    return { session, account, earlier: await this.orderDrafts.earlier(draft, { caller, account, stored, isSame }), draft };
  }

  /** Simulates a new top-up. @throws SessionNotOpen, TopUpWaiting */
  private async simulate(session: Session, account: Account, draft: Order): Promise<Simulated | undefined> {
    if (session.state !== 'open') throw new SessionNotOpen(session.id, (await this.sessions.view(session)).status);
    if (await this.orderReader.waitingOf(session, 'top_up')) throw new TopUpWaiting(session.id);
    const simulated = await this.forecasts.simulate(draft, account);
    const reason = simulated?.outcome.kind === 'failed' ? simulated.outcome.failure.reason : '';
    if (reason === 'session_not_open' || reason === 'session_expired')
      throw new SessionNotOpen(session.id, reason === 'session_expired' ? 'expired' : 'closing');
    return simulated;
  }
}
