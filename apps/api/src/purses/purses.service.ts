import { setTimeout } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, In } from 'typeorm';
import { LocalSigner } from '#chain';
import { isId, storageFault } from '#database';
import { type Account, AccountsService, OpeningTimes } from '../accounts';
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
import { unsentUnlessStored } from '../http/unsent';
import { referencedBy, referenceOf } from '../lists/references';
import { parseUsdc } from '../money/usdc';
import {
  hashOfRequest,
  isRerunnable,
  type Order,
  OrdersService,
  type OrderStatus,
  type Placed,
  requireSameRequest,
  type Simulated,
} from '../orders';
import { Clock } from '../runtime/clock';
import { Failpoints } from '../runtime/failpoints';
import { EncryptionService } from '../secrets';
import { Purse, urlOf } from './purse.entity';
import { PurseHandler } from './purse.handler';
import { PURSE_STATUSES, type PurseStatus } from './purse.states';
import { PurseStore } from './purse.store';
import { type CreatePurseDto, DEFAULT_PURSE_SECONDS, hostOf, type ListPursesQuery, purseView, type PurseView } from './purses.dto';
import type { Signed } from '../signatures';
import { AnotherPurseOpen, ChargeUnderWay, PurseNotOpen } from './purses.errors';

/** How long an opening waits for a charge of its account. */
const LOCK_WAIT_MS = 20_000;
const LOCK_POLL_MS = 100;
/** A block's time is an estimate: it differs from the program's clock by a little. */
const BLOCK_TIME_TOLERANCE_SECONDS = 60;

/** Purses: opened once a key, approved, and shown. */
@Injectable()
export class PursesService {
  private readonly kind: AllowanceKind<Purse, PurseStatus, PurseView>;

  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly clock: Clock,
    private readonly encryption: EncryptionService,
    private readonly accounts: AccountsService,
    private readonly orders: OrdersService,
    private readonly allowances: Allowances,
    private readonly store: PurseStore,
    private readonly handler: PurseHandler,
    private readonly failpoints: Failpoints,
    private readonly times: OpeningTimes,
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
    if (opening.kind === 'earlier') return this.orders.predictRepeat(opening.order, opening.account);
    const other = await this.store.openFor(opening.account.id);
    if (other) throw new AnotherPurseOpen(other.id);
    if (isChargeOpen(opening.simulated)) throw new ChargeUnderWay();
    return this.orders.predict(opening.order, opening.simulated);
  }

  /** The opening that a request asks for, simulated and not stored yet; or the one that holds its idempotency key. */
  private async prepare(caller: Caller, request: CreatePurseDto): Promise<PreparedOpening<Purse> | EarlierOpening> {
    requireCover(caller, request.account_id);
    const account = await this.accounts.find(caller.operatorId, request.account_id);
    const purse = await this.draft(account, request);
    const order = await this.openingOf(caller, purse, request);
    const opening = { order, account, allowance: purse, instruction: this.handler.instructionFor(purse) };
    const earlier = await this.allowances.earlier(caller, opening, (_landed, lost) => this.isOpening(lost, request));
    if (!earlier) return this.allowances.prepare(caller, opening, urlOf(purse));
    await this.store.nameHost(earlier.order.id, purse.host);
    return earlier;
  }

  /** The order that opens a purse, not stored. */
  private openingOf(caller: Caller, purse: Purse, request: CreatePurseDto): Promise<Order> {
    const { id, operatorId, accountId, microUsdc, category, host, delegateKey } = purse;
    // As it was asked for: a policy that ends soon shortens it, by the time of the request.
    const seconds = request.expires_in_seconds ?? DEFAULT_PURSE_SECONDS;
    return this.orders.draft({
      id,
      kind: 'purse',
      operatorId,
      accountId,
      idempotencyKey: request.idempotency_key,
      requestHash: hashOfRequest([accountId, microUsdc.toString(), seconds, category, host]),
      delegateKey,
      microUsdc,
      category,
      createdBy: caller.keyId,
      byAgent: caller.type === 'agent',
      ...referenceOf(purse),
    });
  }

  /** Whether a purse that was written from the chain was opened for as long as a request asks. The chain does not show its host. */
  private async isOpening(lost: Order, { expires_in_seconds: asked }: CreatePurseDto): Promise<boolean> {
    const { expiresInSeconds } = await this.store.find(lost.id);
    const more = expiresInSeconds - (asked ?? DEFAULT_PURSE_SECONDS);
    // One that asked for no time may have been shortened.
    return more <= BLOCK_TIME_TOLERANCE_SECONDS && (asked === undefined || more >= -BLOCK_TIME_TOLERANCE_SECONDS);
  }

  /** Stores and executes a prepared opening. @throws AnotherPurseOpen, ChargeUnderWay */
  private async place(caller: Caller, opening: PreparedOpening<Purse>): Promise<AllowanceAnswer<PurseView>> {
    const { order, allowance: purse, simulated } = opening;
    let current = simulated;
    if (isChargeOpen(simulated) || simulated?.outcome.kind === 'allowed') {
      const earlier = await this.lock(purse, order);
      if (earlier) {
        requireSameRequest(earlier, order.requestHash, caller);
        return this.answer(await this.repeat(earlier));
      }
      this.failpoints.pass('purse.locked');
      try {
        if (isChargeOpen(simulated)) current = await this.simulateAgain(opening);
      } catch (error) {
        await this.store.unlock(purse.id);
        throw error;
      }
    }
    const placed = await this.unlockedUnlessNeeded(purse.id, () => this.orders.place(caller, order, current, this.store.insertion(purse)));
    if (placed.order.id !== purse.id) await this.store.unlock(purse.id);
    return this.answer(placed, placed.order.id === purse.id ? purse : undefined);
  }

  /** An operator approves a purse that waits: it is simulated again and opened. @throws SignatureRequired */
  async approve(caller: Caller, id: string, signed: Signed | null): Promise<AllowanceAnswer<PurseView>> {
    const purse = await this.find(caller, id);
    const order = await this.orders.current(purse.id);
    if (order.status === 'pending_approval') await this.lock(purse);
    return this.answer(await this.unlockedUnlessNeeded(purse.id, () => this.orders.approve(order, caller, signed)));
  }

  /** An operator denies a purse that waits. */
  async deny(caller: Caller, id: string, reason: string | undefined): Promise<PurseView> {
    const purse = await this.find(caller, id);
    await this.orders.deny(await this.orders.find(purse.id), caller, reason);
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
    await this.lock(earlier);
    return this.unlockedUnlessNeeded(earlier.id, () => this.orders.rerun(earlier, earlier));
  }

  /** No charge or purse of this database is open. One from before a restore may be: it is ended. */
  private async simulateAgain(opening: Opening<Purse>): Promise<Simulated | undefined> {
    const again = await this.allowances.simulate(opening);
    if (!isChargeOpen(again)) return again;
    await this.orders.backfillAccount(opening.account);
    return this.allowances.simulate(opening);
  }

  /**
   * Locks the account. Returns the order that holds the idempotency key of `placing`, where an equal request placed it meanwhile.
   * @throws AnotherPurseOpen; ChargeUnderWay where a charge takes too long.
   */
  private async lock(purse: { id: string; accountId: string }, placing?: Order): Promise<Order | undefined> {
    for (const until = performance.now() + LOCK_WAIT_MS; ; await setTimeout(LOCK_POLL_MS)) {
      const holder = await this.store.lock(purse);
      if (!holder) return undefined;
      // A purse that is not stored may be that of an equal request. Read before the key, so that an equal one that is stored is found by it.
      const isStored = holder.purseId !== null && (await this.store.findIfStored(holder.purseId)) !== undefined;
      const earlier = placing && (await this.orders.findByKey(placing, placing.idempotencyKey ?? ''));
      if (earlier) return earlier;
      if (holder.purseId !== null && isStored) throw new AnotherPurseOpen(holder.purseId);
      if (performance.now() > until) throw new ChargeUnderWay();
    }
  }

  /** Unlocks the account again where the order does not open the purse, now or later. */
  private async unlockedUnlessNeeded(id: string, work: () => Promise<Placed>): Promise<Placed> {
    try {
      const placed = await work();
      if (UNLOCKED_STATUSES.has(placed.order.status)) await this.store.unlock(id);
      return placed;
    } catch (error) {
      // Where the database fails, the job drops the lock.
      if (!storageFault(error) && UNLOCKED_STATUSES.has((await this.orders.findIfStored(id))?.status ?? 'failed'))
        await this.store.unlock(id);
      throw error;
    }
  }

  /** `known` is the purse before its order ran. */
  private answer(placed: Placed, known?: Purse): Promise<AllowanceAnswer<PurseView>> {
    const view = async (): Promise<PurseView> => this.view(await this.store.find(placed.order.id));
    return this.allowances.answer(placed, view, known && purseView(known, UNKNOWN_OPENING));
  }

  private async draft(account: Account, request: CreatePurseDto): Promise<Purse> {
    const { amount, category, host, expires_in_seconds } = request;
    const { operatorId } = account;
    const createdAt = this.clock.now();
    const id = await this.orders.newId({ operatorId, kind: 'purse', idempotencyKey: request.idempotency_key });
    const { seed, signer } = LocalSigner.generate();
    return this.database.manager.create(Purse, {
      id,
      operatorId,
      accountId: account.id,
      category: category ?? null,
      host: host === undefined ? null : hostOf(host),
      ...referencedBy(request),
      microUsdc: parseUsdc(amount),
      expiresInSeconds: expires_in_seconds ?? (await this.times.shortened(account, DEFAULT_PURSE_SECONDS)),
      delegateKey: signer.address,
      delegateKeySealed: this.encryption.seal('purse-key', id, seed),
      kind: 'allowance',
      paymentId: null,
      // As the database sets them.
      status: 'ordered',
      committedMicroUsdc: 0n,
      spentMicroUsdc: 0n,
      returnedMicroUsdc: 0n,
      sweptMicroUsdc: 0n,
      recordedMicroUsdc: 0n,
      goneAt: null,
      seq: null,
      openSignature: null,
      endSignature: null,
      createdAt,
    });
  }
}

/** Orders in these states need no lock of the account. */
const UNLOCKED_STATUSES: ReadonlySet<OrderStatus> = new Set(['pending_approval', 'rejected', 'failed']);

/** Whether the program refuses an opening because another charge or purse of the account is open. */
function isChargeOpen(simulated: Simulated | undefined): boolean {
  return simulated?.outcome.kind === 'failed' && simulated.outcome.failure.reason === 'charge_open';
}
