import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, In } from 'typeorm';
import { Chain, ChainUnavailableError } from '#chain';
import { isId } from '#database';
import { AccountsService } from '../accounts';
import {
  type AllowanceAnswer,
  type AllowanceKind,
  Allowances,
  type EarlierOpening,
  type Opening,
  type PreparedOpening,
  UNKNOWN_OPENING,
} from '../allowances';
import { covers, requireCover, type Caller } from '../http/caller';
import { NotFound } from '../http/domain.errors';
import { type DryRunView, dryRunView, type Prediction } from '../http/dry-run';
import type { Page } from '../lists/pages';
import { unsentUnlessStored } from '../http/errors/unsent';
import { parseUsdc } from '../money/usdc';
import {
  Backfill,
  isRerunnable,
  type Order,
  OrderForecasts,
  OrderReader,
  OrdersService,
  type Placed,
  requireSameRequest,
  type Simulated,
} from '../orders';
import { Failpoints } from '../runtime/failpoints';
import type { Signed } from '../signatures';
import { PurseDrafts } from './orders/purse-drafts';
import { Purse, urlOf } from './purse.entity';
import { PurseLocks } from './store/purse-locks';
import { PURSE_STATUSES, type PurseStatus } from './purse.states';
import { PurseStore } from './store/purse.store';
import { type CreatePurseDto, type ListPursesQuery, purseView, type PurseView } from './purses.dto';
import { AnotherPurseOpen, ChannelsAbsent, ChargeUnderWay, PurseNotOpen } from './purses.errors';

/** Purses: opened once a key, approved, and shown. */
@Injectable()
export class PursesService {
  private readonly kind: AllowanceKind<Purse, PurseStatus, PurseView>;

  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly chain: Chain,
    private readonly accounts: AccountsService,
    private readonly orders: OrdersService,
    private readonly orderReader: OrderReader,
    private readonly backfill: Backfill,
    private readonly forecasts: OrderForecasts,
    private readonly allowances: Allowances,
    private readonly drafts: PurseDrafts,
    private readonly locks: PurseLocks,
    private readonly store: PurseStore,
    private readonly failpoints: Failpoints,
  ) {
    this.kind = {
      prefix: 'purse',
      orderKind: 'purse',
      states: PURSE_STATUSES,
      opened: (list) => this.store.list(list),
      unopened: (ids) => this.database.manager.find(Purse, { where: { id: In(ids), status: 'ordered' }, order: { id: 'DESC' } }),
      isUnopened: ({ status }) => status === 'ordered',
      view: purseView,
    };
  }

  /** Opens a purse. */
  open(caller: Caller, request: CreatePurseDto): Promise<AllowanceAnswer<PurseView>> {
    return unsentUnlessStored(async () => {
      const opening = await this.prepare(caller, request);
      return opening.kind === 'earlier' ? this.answer(await this.repeat(opening.order)) : this.place(caller, opening);
    });
  }

  /** The outcome that opening a purse would have. Nothing is stored or sent. */
  dryRun(caller: Caller, request: CreatePurseDto): Promise<DryRunView> {
    return dryRunView(parseUsdc(request.amount), this.predict(caller, request));
  }

  private async predict(caller: Caller, request: CreatePurseDto): Promise<Prediction> {
    const opening = await this.prepare(caller, request);
    if (opening.kind === 'earlier') return this.forecasts.predictRepeat(opening.order, opening.account);
    const other = isLocked(opening.order) ? await this.store.openFor(opening.account.id) : undefined;
    if (other) throw new AnotherPurseOpen(other.id);
    if (isChargeOpen(opening.simulated)) throw new ChargeUnderWay();
    return this.forecasts.predict(opening.order, opening.simulated);
  }

  /** The opening that a request asks for, simulated and not stored yet; or the one that holds its idempotency key. */
  async prepare(caller: Caller, request: CreatePurseDto): Promise<PreparedOpening<Purse> | EarlierOpening> {
    requireCover(caller, request.account_id);
    const account = await this.accounts.find(caller.operatorId, request.account_id);
    const opening = await this.drafts.opening(caller, account, request);
    const { allowance: purse } = opening;
    const earlier = await this.allowances.earlier(caller, opening, (_landed, lost) => this.drafts.isOpening(lost, request));
    if (!earlier) {
      if (purse.kind === 'channel') await this.requireChannels();
      return this.allowances.prepare(caller, opening, urlOf(purse));
    }
    await this.store.nameHost(earlier.order.id, purse.host);
    return earlier;
  }

  /** @throws ChannelsAbsent if the chain does not carry payment-channels. */
  private async requireChannels(): Promise<void> {
    try {
      if (!(await this.chain.channels.arePresent())) throw new ChannelsAbsent();
    } catch (error) {
      // The simulation, which is next, finds the same.
      if (!(error instanceof ChainUnavailableError)) throw error;
    }
  }

  /** Stores and executes a prepared opening. @throws AnotherPurseOpen, ChargeUnderWay */
  async place(caller: Caller, opening: PreparedOpening<Purse>): Promise<AllowanceAnswer<PurseView>> {
    const { order, allowance: purse, simulated } = opening;
    if (!isLocked(order)) return this.answerTo(purse, await this.orders.place(caller, order, simulated, this.store.insertion(purse)));
    let current = simulated;
    if (isChargeOpen(simulated) || simulated?.outcome.kind === 'allowed') {
      const earlier = await this.locks.lock(purse, order);
      if (earlier) {
        requireSameRequest(earlier, order.requestHash, caller);
        return this.answer(await this.repeat(earlier));
      }
      this.failpoints.pass('purse.locked');
      try {
        if (isChargeOpen(simulated)) current = await this.simulateAgain(opening);
      } catch (error) {
        await this.locks.unlock(purse.id);
        throw error;
      }
    }
    const placed = await this.locks.unlockedUnlessNeeded(purse.id, () =>
      this.orders.place(caller, order, current, this.store.insertion(purse)),
    );
    if (placed.order.id !== purse.id) await this.locks.unlock(purse.id);
    return this.answerTo(purse, placed);
  }

  /** An operator approves a purse that waits: it is simulated again and opened. @throws SignatureRequired */
  async approve(caller: Caller, id: string, signed: Signed | null): Promise<AllowanceAnswer<PurseView>> {
    const purse = await this.find(caller, id);
    const order = await this.orders.current(purse.id);
    if (!isLocked(order)) return this.answer(await this.orders.approve(order, caller, signed));
    if (order.status === 'pending_approval') await this.locks.lock(purse);
    return this.answer(await this.locks.unlockedUnlessNeeded(purse.id, () => this.orders.approve(order, caller, signed)));
  }

  /** An operator denies a purse that waits. */
  async deny(caller: Caller, id: string, reason: string | undefined): Promise<PurseView> {
    const purse = await this.find(caller, id);
    await this.orders.deny(await this.orderReader.find(purse.id), caller, reason);
    return this.view(await this.store.find(purse.id));
  }

  list(caller: Caller, query: ListPursesQuery): Promise<Page<PurseView>> {
    return this.allowances.list(caller, query, this.kind);
  }

  /** The caller's purse. @throws NotFound, also for another's. */
  async find(caller: Caller, id: string): Promise<Purse> {
    const purse = isId('purse', id) ? await this.store.findOf(caller.operatorId, id) : undefined;
    if (!purse || !covers(caller, purse.accountId)) throw new NotFound('There is no such purse.');
    return purse;
  }

  async view(purse: Purse): Promise<PurseView> {
    return purseView(purse, await this.allowances.openingOf(this.kind, purse));
  }

  /** @throws PurseNotOpen */
  async requireOpen(purse: Purse): Promise<void> {
    if (purse.status !== 'open') throw new PurseNotOpen(purse.id, (await this.view(purse)).status);
  }

  private async repeat(earlier: Order): Promise<Placed> {
    if (!isRerunnable(earlier)) return this.orders.replay(earlier);
    if (!isLocked(earlier)) return this.orders.rerun(earlier, earlier);
    await this.locks.lock(earlier);
    return this.locks.unlockedUnlessNeeded(earlier.id, () => this.orders.rerun(earlier, earlier));
  }

  /** No charge or purse of this database is open. One from before a restore may be: it is ended. */
  private async simulateAgain(opening: Opening<Purse>): Promise<Simulated | undefined> {
    const again = await this.allowances.simulate(opening);
    if (!isChargeOpen(again)) return again;
    await this.backfill.run(opening.account, { again: true });
    return this.allowances.simulate(opening);
  }

  /** The answer to the placed order of a purse, or to the earlier one that holds its key. */
  private answerTo(purse: Purse, placed: Placed): Promise<AllowanceAnswer<PurseView>> {
    return this.answer(placed, placed.order.id === purse.id ? purse : undefined);
  }

  /** `known` is the purse before its order ran. */
  private answer(placed: Placed, known?: Purse): Promise<AllowanceAnswer<PurseView>> {
    const view = async (): Promise<PurseView> => this.view(await this.store.find(placed.order.id));
    return this.allowances.answer(placed, view, known && purseView(known, UNKNOWN_OPENING));
  }
}

/** Whether an opening needs the lock that gives its account one open allowance purse or charge. */
const isLocked = ({ kind }: Pick<Order, 'kind'>): boolean => kind === 'purse';

/** Whether the program refuses an opening because another charge or purse of the account is open. */
function isChargeOpen(simulated: Simulated | undefined): boolean {
  return simulated?.outcome.kind === 'failed' && simulated.outcome.failure.reason === 'charge_open';
}
