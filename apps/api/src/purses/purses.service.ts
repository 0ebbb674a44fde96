import { setTimeout } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, In } from 'typeorm';
import { type LandedOrder, LocalSigner } from '#chain';
import { isId, storageFault } from '#database';
import { type Account, AccountsService } from '../accounts';
import { covers, requireCover, type Caller } from '../http/caller';
import { NotFound, StorageUnavailable } from '../http/domain.errors';
import { type DryRunView, dryRunView, type Prediction } from '../http/dry-run';
import { pageConditions, toPage, type Page } from '../lists/pages';
import { unsentUnlessStored } from '../http/unsent';
import { referencedBy, referenceOf } from '../lists/references';
import { parseUsdc } from '../money/usdc';
import {
  declinedBy,
  hashOfRequest,
  isRerunnable,
  type Order,
  OrderLists,
  OrdersService,
  type OrderStatus,
  type Placed,
  requireNoDecline,
  requireSameRequest,
  type Simulated,
} from '../orders';
import { AllowedHosts } from '../providers';
import { Clock } from '../runtime/clock';
import { Failpoints } from '../runtime/failpoints';
import { EncryptionService } from '../secrets';
import { Purse } from './purse.entity';
import { PurseHandler } from './purse.handler';
import { PURSE_STATUSES, type PurseStatus } from './purse.states';
import { PurseStore } from './purse.store';
import {
  type CreatePurseDto,
  DEFAULT_PURSE_SECONDS,
  hostOf,
  type ListPursesQuery,
  type PurseOpening,
  purseView,
  type PurseView,
} from './purses.dto';
import type { Signed } from '../signatures';
import { AnotherPurseOpen, ChargeUnderWay, PurseNotOpen } from './purses.errors';

/** How long an opening waits for a charge of its account. */
const LOCK_WAIT_MS = 20_000;
const LOCK_POLL_MS = 100;
/** A block's time is an estimate: it differs from the program's clock by a little. */
const BLOCK_TIME_TOLERANCE_SECONDS = 60;

/** The answer of a request: declines are thrown. */
export interface PurseAnswer {
  status: 201 | 202;
  body: PurseView;
  headers: Record<string, string>;
}

/** An opening that was simulated and is not stored. */
export interface PreparedPurse {
  kind: 'new';
  order: Order;
  purse: Purse;
  account: Account;
  /** Undefined while the chain is unavailable. */
  simulated: Simulated | undefined;
}

/** The opening that holds the idempotency key of a request. */
export interface EarlierPurse {
  kind: 'earlier';
  order: Order;
  account: Account;
}

/** Purses: opened once a key, approved, and shown. */
@Injectable()
export class PursesService {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly clock: Clock,
    private readonly encryption: EncryptionService,
    private readonly accounts: AccountsService,
    private readonly orders: OrdersService,
    private readonly lists: OrderLists,
    private readonly store: PurseStore,
    private readonly handler: PurseHandler,
    private readonly failpoints: Failpoints,
    private readonly hosts: AllowedHosts,
  ) {}

  /** Opens a purse. */
  open(caller: Caller, request: CreatePurseDto): Promise<PurseAnswer> {
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
  private async prepare(caller: Caller, request: CreatePurseDto): Promise<PreparedPurse | EarlierPurse> {
    requireCover(caller, request.account_id);
    const account = await this.accounts.find(caller.operatorId, request.account_id);
    const purse = await this.draft(account, request);
    const order = await this.openingOf(caller, purse, request.idempotency_key);
    const stored = await this.orders.findByKey(order, request.idempotency_key);
    const isSame = (_landed: LandedOrder, lost: Order) => this.isOpening(lost, purse);
    const earlier = await this.orders.earlier(order, { caller, account, stored, isSame });
    if (earlier) {
      await this.store.nameHost(earlier.id, purse.host);
      return { kind: 'earlier', order: earlier, account };
    }
    const barred = purse.host === null ? undefined : this.hosts.violation(account, caller, `https://${purse.host}`);
    const simulated = barred ? declinedBy(barred, account, this.handler.instructionFor(purse)) : await this.simulate(order, purse, account);
    return { kind: 'new', order, purse, account, simulated };
  }

  /** The order that opens a purse, not stored. */
  private openingOf(caller: Caller, purse: Purse, idempotencyKey: string): Promise<Order> {
    const { id, operatorId, accountId, microUsdc, expiresInSeconds, category, host, delegateKey } = purse;
    return this.orders.draft({
      id,
      kind: 'purse',
      operatorId,
      accountId,
      idempotencyKey,
      requestHash: hashOfRequest([accountId, microUsdc.toString(), expiresInSeconds, category, host]),
      delegateKey,
      microUsdc,
      category,
      createdBy: caller.keyId,
      byAgent: caller.type === 'agent',
      ...referenceOf(purse),
    });
  }

  /** Whether a purse that was written from the chain was opened for as long as a request asks. The chain does not show its host. */
  private async isOpening(lost: Order, { expiresInSeconds }: Purse): Promise<boolean> {
    const opened = await this.store.find(lost.id);
    return Math.abs(opened.expiresInSeconds - expiresInSeconds) <= BLOCK_TIME_TOLERANCE_SECONDS;
  }

  /** Stores and executes a prepared opening. @throws AnotherPurseOpen, ChargeUnderWay */
  private async place(caller: Caller, { order, purse, account, simulated }: PreparedPurse): Promise<PurseAnswer> {
    let current = simulated;
    if (isChargeOpen(simulated) || simulated?.outcome.kind === 'allowed') {
      const earlier = await this.lock(purse, order);
      if (earlier) {
        requireSameRequest(earlier, order.requestHash, caller);
        return this.answer(await this.repeat(earlier));
      }
      this.failpoints.pass('purse.locked');
      try {
        if (isChargeOpen(simulated)) current = await this.simulateAgain(order, purse, account);
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
  async approve(caller: Caller, id: string, signed: Signed | null): Promise<PurseAnswer> {
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

  async show(caller: Caller, id: string): Promise<PurseView> {
    return this.view(await this.find(caller, id));
  }

  async list(caller: Caller, query: ListPursesQuery): Promise<Page<PurseView>> {
    const accountIds = await this.accounts.listed(caller, { account_id: query.account_id });
    const status = query.status === undefined ? undefined : STATUSES[query.status];
    const purses =
      status && 'opening' in status
        ? await this.withOpening(caller.operatorId, accountIds, status.opening, query)
        : await this.store.list({
            operatorId: caller.operatorId,
            accountIds,
            statuses: status ? [status.status] : PURSE_STATUSES,
            filters: pageConditions('purse', query),
            limit: query.limit + 1,
          });
    const openings = await this.openings(purses);
    return toPage(purses, query, (purse) => purseView(purse, openings.get(purse.id) ?? OPENED));
  }

  /** The caller's purse. @throws NotFound, also for another's. */
  async find(caller: Caller, id: string): Promise<Purse> {
    const purse = isId('purse', id) ? await this.store.findOf(caller.operatorId, id) : undefined;
    if (!purse || !covers(caller, purse.accountId)) throw new NotFound('There is no such purse.');
    return purse;
  }

  async view(purse: Purse): Promise<PurseView> {
    return purseView(purse, purse.status === 'ordered' ? await this.orders.current(purse.id) : OPENED);
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

  private simulate(order: Order, purse: Purse, account: Account): Promise<Simulated | undefined> {
    return this.orders.simulate(order, account, this.handler.instructionFor(purse));
  }

  /** No charge or purse of this database is open. One from before a restore may be: it is ended. */
  private async simulateAgain(order: Order, purse: Purse, account: Account): Promise<Simulated | undefined> {
    const again = await this.simulate(order, purse, account);
    if (!isChargeOpen(again)) return again;
    await this.orders.backfillAccount(account);
    return this.simulate(order, purse, account);
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

  /** `known` is the purse before its order ran, and is shown where the database cannot say how it is now. */
  private async answer({ order, headers }: Placed, known?: Purse): Promise<PurseAnswer> {
    requireNoDecline(order, headers);
    try {
      const body = await this.view(await this.store.find(order.id));
      return { status: order.status === 'settled' ? 201 : 202, body, headers };
    } catch (error) {
      if (!storageFault(error)) throw error;
      if (!known) throw new StorageUnavailable();
      return { status: 202, body: purseView(known, UNKNOWN_OPENING), headers };
    }
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
      expiresInSeconds: expires_in_seconds ?? DEFAULT_PURSE_SECONDS,
      delegateKey: signer.address,
      delegateKeySealed: this.encryption.seal('purse-key', id, seed),
      // As the database sets them.
      status: 'ordered',
      committedMicroUsdc: 0n,
      spentMicroUsdc: 0n,
      returnedMicroUsdc: 0n,
      seq: null,
      openSignature: null,
      endSignature: null,
      createdAt,
    });
  }

  /** Purses that are not open, by the status of their opening order. */
  private async withOpening(
    operatorId: string,
    accountIds: readonly string[] | null,
    statuses: OrderStatus[],
    query: ListPursesQuery,
  ): Promise<Purse[]> {
    const page = { before: query.cursor, limit: query.limit + 1 };
    const ids = await this.lists.openingIds({ kind: 'purse', operatorId, accountIds, statuses }, page);
    return this.database.manager.find(Purse, { where: { id: In(ids), status: 'ordered' }, order: { id: 'DESC' } });
  }

  private async openings(purses: Purse[]): Promise<Map<string, PurseOpening>> {
    const ids = purses.filter(({ status }) => status === 'ordered').map(({ id }) => id);
    return new Map(await Promise.all(ids.map(async (id) => [id, await this.orders.current(id)] as const)));
  }
}

/** Orders in these states need no lock of the account. */
const UNLOCKED_STATUSES: ReadonlySet<OrderStatus> = new Set(['pending_approval', 'rejected', 'failed']);

/** The facts that are known of an opening whose outcome the database cannot say. */
const UNKNOWN_OPENING: PurseOpening = { status: 'submitted', approvalExpiresAt: null, rejectionReason: null };
const OPENED: PurseOpening = { status: 'settled', approvalExpiresAt: null, rejectionReason: null };

/** Each status of the API as the status of the purse, or of its opening order. */
const STATUSES: Record<NonNullable<ListPursesQuery['status']>, { status: PurseStatus } | { opening: OrderStatus[] }> = {
  open: { status: 'open' },
  closing: { status: 'closing' },
  closed: { status: 'closed' },
  opening: { opening: ['created', 'submitted'] },
  pending_approval: { opening: ['pending_approval'] },
  rejected: { opening: ['rejected'] },
  failed: { opening: ['failed'] },
};

/** Whether the program refuses an opening because another charge or purse of the account is open. */
function isChargeOpen(simulated: Simulated | undefined): boolean {
  return simulated?.outcome.kind === 'failed' && simulated.outcome.failure.reason === 'charge_open';
}
