import { setTimeout } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { storageFault } from '#database';
import { type Order, OrderReader, type OrderStatus, type Placed } from '../../orders';
import { Clock } from '../../runtime/clock';
import { Config } from '../../runtime/config';
import { PurseLockStore } from './purse-lock.store';
import type { Purse } from '../purse.entity';
import { PurseStore } from './purse.store';
import { AnotherPurseOpen, ChargeUnderWay } from '../purses.errors';

/** How long an opening waits for a charge of its account. */
const LOCK_WAIT_MS = 20_000;
const LOCK_POLL_MS = 100;
/** Stale locks that are looked at together. */
const STALE_BATCH = 20;
/** Orders in these states need no lock of the account. */
const UNLOCKED_STATUSES: ReadonlySet<OrderStatus> = new Set(['pending_approval', 'rejected', 'failed']);

/** The lock that gives an account one open allowance purse or charge. Channel purses need none. */
@Injectable()
export class PurseLocks {
  constructor(
    private readonly orders: OrderReader,
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly purses: PurseStore,
    private readonly store: PurseLockStore,
  ) {}

  /**
   * Locks the account. Returns the order that holds the idempotency key of `placing`, if an equal request placed it meanwhile.
   * @throws AnotherPurseOpen; ChargeUnderWay if a charge takes too long.
   */
  async lock(purse: { id: string; accountId: string }, placing?: Order): Promise<Order | undefined> {
    for (const until = performance.now() + LOCK_WAIT_MS; ; await setTimeout(LOCK_POLL_MS)) {
      const holder = await this.store.lock(purse);
      if (!holder) return undefined;
      // A purse that is not stored may be that of an equal request. Read before the key, so that an equal one that is stored is found by it.
      const isStored = holder.purseId !== null && (await this.purses.findIfStored(holder.purseId)) !== undefined;
      const earlier = placing && (await this.orders.findByKey(placing, placing.idempotencyKey ?? ''));
      if (earlier) return earlier;
      if (holder.purseId !== null && isStored) throw new AnotherPurseOpen(holder.purseId);
      if (performance.now() > until) throw new ChargeUnderWay();
    }
  }

  /** Locks the account again for an open purse, whose lock a restored database may have lost. */
  async relock(purse: Purse): Promise<void> {
    await this.store.lock(purse);
  }

  /** Unlocks the account of a purse. Harmless if the purse has no lock, or was opened. */
  unlock(id: string): Promise<void> {
    return this.store.unlock(id);
  }

  /** Unlocks accounts whose process died before a purse opened: a request runs no longer than this. The chain allows one all the same. */
  async dropStale(): Promise<void> {
    const { SETTLEMENT_WAIT_MS, LEASE_MS } = this.config;
    const before = new Date(this.clock.now().getTime() - SETTLEMENT_WAIT_MS - LEASE_MS);
    const ids = await this.store.lockedUnopened(before, STALE_BATCH);
    for (const id of ids) if (await this.isUnneeded(id)) await this.unlock(id);
  }

  /** Unlocks the account again if the order does not open the purse, now or later. */
  async unlockedUnlessNeeded(id: string, work: () => Promise<Placed>): Promise<Placed> {
    try {
      const placed = await work();
      if (UNLOCKED_STATUSES.has(placed.order.status)) await this.unlock(id);
      return placed;
    } catch (error) {
      // If the database fails, the job drops the lock.
      if (!storageFault(error) && (await this.isUnneeded(id))) await this.unlock(id);
      throw error;
    }
  }

  /** Whether no order opens the purse any more. */
  private async isUnneeded(id: string): Promise<boolean> {
    return UNLOCKED_STATUSES.has((await this.orders.findIfStored(id))?.status ?? 'failed');
  }
}
