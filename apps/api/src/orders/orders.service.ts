import { setTimeout } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { ChainUnavailableError, type LandedOrder, type Verdict } from '#chain';
import { storageFault } from '#database';
import type { Account } from '../accounts';
import { Clock } from '../runtime/clock';
import { Config } from '../runtime/config';
import { Failpoints } from '../runtime/failpoints';
import { ChainUnavailable, Conflict } from '../http/domain.errors';
import { Executions } from './executions';
import { Backfill } from './backfill';
import { OrderStore, type Placing } from './order.store';
import type { Parties } from './recipients';
import { CHAIN_AWAY, OrderProcessor, type Judged } from './order.processor';
import type { NewOrder, OrderKind, Order } from './order.entity';
import { IdempotencyConflict } from './orders.errors';

/** How often an insert is tried again that may have been committed before its connection was lost. */
const INSERT_RETRY_MS = 200;

/** An order as far as it has come, and what the answer to it carries beside. */
export interface Placed {
  order: Order;
  headers: Record<string, string>;
}

/** Orders of every kind: placed once a key, repeated, approved and denied. */
@Injectable()
export class OrdersService {
  private readonly logger = new Logger('Orders');

  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly store: OrderStore,
    private readonly settlement: OrderProcessor,
    private readonly executions: Executions,
    private readonly backfill: Backfill,
    private readonly failpoints: Failpoints,
  ) {}

  /** The order that has this key now, if there is one. */
  findByKey(operatorId: string, kind: OrderKind, key: string): Promise<Order | undefined> {
    return this.store.findByKey(operatorId, kind, key);
  }

  find(id: string): Promise<Order> {
    return this.store.find(id);
  }

  /** Writes down what the account has paid and a restored database has forgotten. Returns the orders' ids. @throws ChainUnavailableError */
  recall(account: Account): Promise<string[]> {
    return this.backfill.recall(account);
  }

  /** Settles the order that a landed transaction proves to be executed, whatever was written down; undefined where there is none. */
  settleProven(landed: LandedOrder): Promise<Order | undefined> {
    return this.backfill.settle(landed);
  }

  /** Orders from before a moment that have come to no end; those that wait for an approval have time. */
  unended(createdBefore: Date): Promise<string[]> {
    return this.store.unended(createdBefore);
  }

  /** A new order, not yet in the database. */
  draft(order: NewOrder, id?: string): Order {
    return this.store.draft(order, id);
  }

  /**
   * Places a new order, with what is to be inserted beside it, and runs it for as long as a request waits. Two equal ones at the
   * same time are executed once. `inspect` sees the verdict first, and may throw, which leaves the key free.
   */
  async place(
    draft: Order,
    account: Account,
    { placing, inspect }: { placing?: Placing; inspect?: (verdict: Verdict) => Promise<void> } = {},
  ): Promise<Placed> {
    // The verdict comes before the row, so that what cannot be ordered leaves the key free.
    const judged = await this.judge(draft, account);
    const verdict = judged?.verdict;
    if (verdict) await inspect?.(verdict);
    this.failpoints.pass('transfer.judged');
    const inserted = await this.insert(draft, verdict?.kind === 'allowed', placing);
    if (!inserted) return { order: draft, headers: {} };
    const { transfer: order, isNew } = inserted;
    this.failpoints.pass('transfer.inserted');
    // The other one executes, and this one shares its outcome, even a failure.
    if (!isNew) return this.repeat(order, draft.requestHash);
    if (judged) return this.run(order, judged);
    // The key is taken even so: only the same order runs again.
    return this.stored(order, async () => (await this.store.fail(order, CHAIN_AWAY)) ?? order);
  }

  /**
   * Inserts an order. Where the connection is lost it may be stored, and then the recovery would run it: the insert is repeated under
   * the same id until the database says which. Undefined where it does not say in the time that a request may wait.
   * @throws the database's error where the order is certainly not stored.
   */
  private async insert(draft: Order, withSeq: boolean, placing?: Placing): Promise<{ transfer: Order; isNew: boolean } | undefined> {
    const until = performance.now() + this.config.SETTLEMENT_WAIT_MS;
    for (let mayBeStored = false; ; await setTimeout(INSERT_RETRY_MS)) {
      try {
        const { transfer, isNew } = await this.store.insert(draft, withSeq, placing);
        return { transfer, isNew: isNew || this.isOurs(transfer, draft) };
      } catch (error) {
        const fault = storageFault(error);
        mayBeStored ||= fault === 'unknown';
        if (!fault || !mayBeStored) throw error;
        if (performance.now() > until) return undefined;
      }
    }
  }

  /** Whether a stored order is the draft of this request, and no recovery has taken it up since. */
  private isOurs({ id, status, leaseUntil }: Order, draft: Order): boolean {
    return id === draft.id && status === 'created' && leaseUntil.getTime() === draft.leaseUntil.getTime() && leaseUntil > this.clock.now();
  }

  /** Works on a stored order. Where the database goes away the order is as far as is known, and the recovery finishes it. */
  private async stored(order: Order, work: () => Promise<Order>, headers: Record<string, string> = {}): Promise<Placed> {
    try {
      return { order: await work(), headers };
    } catch (error) {
      if (!storageFault(error)) throw error;
      this.logger.warn(`The outcome of ${order.id} is not known: ${String(error)}`);
      return { order, headers };
    }
  }

  /**
   * A key that was used before: its present state, or another run of what failed for no rule, where `again` finds the parties
   * anew. @throws IdempotencyConflict
   */
  async repeat(
    order: Order,
    requestHash: Buffer,
    again?: () => Promise<Pick<Parties, 'destination' | 'destinationAccountId'>>,
  ): Promise<Placed> {
    if (!order.requestHash.equals(requestHash)) throw new IdempotencyConflict(order);
    if (again && isRerunnable(order)) {
      const parties = await again();
      const rerun = await this.rerun(order, parties);
      if (rerun) return rerun;
    }
    const outcome = async (): Promise<Order> => this.executions.outcome(await this.current(order.id), this.config.SETTLEMENT_WAIT_MS);
    return this.stored(order, outcome, { 'Idempotent-Replayed': 'true' });
  }

  /** Runs a failed order again; undefined where another request does. Where it may have begun it counts as submitted. */
  private async rerun(order: Order, parties: Pick<Parties, 'destination' | 'destinationAccountId'>): Promise<Placed | undefined> {
    let rerun: Order | undefined;
    try {
      rerun = await this.store.rerun(order, parties);
    } catch (error) {
      if (storageFault(error) !== 'unknown') throw error;
      return {
        order: Object.assign(order, { status: 'created' as const, rejectionReason: null, refusal: null, failure: null }),
        headers: {},
      };
    }
    return rerun && this.run(rerun);
  }

  /** An operator's yes: executes it, with all rules asked again. @throws Conflict where it does not wait. */
  async approve(order: Order): Promise<Placed> {
    const approved = await this.store.approve(order.id);
    if (!approved) throw await this.notWaiting(order);
    this.failpoints.pass('transfer.approved');
    const placed = await this.run(approved);
    if (placed.order.status === 'pending_approval')
      throw new ChainUnavailable('The chain cannot be reached right now. Nothing was sent, and it still waits for approval.');
    return placed;
  }

  /** An operator's no. @throws Conflict where it does not wait. */
  async deny(order: Order, reason: string | undefined): Promise<Order> {
    const denied = await this.store.deny(order, reason ?? null);
    if (!denied) throw await this.notWaiting(order);
    return denied;
  }

  /** As it stands now: the sweep that ends approvals may be a moment late. */
  async current(id: string): Promise<Order> {
    const order = await this.store.find(id);
    const isDue = order.status === 'pending_approval' && order.approvalExpiresAt !== null && order.approvalExpiresAt <= this.clock.now();
    if (!isDue) return order;
    return (await this.store.expire(order)) ?? this.store.find(id);
  }

  private async run(order: Order, known?: Judged): Promise<Placed> {
    return this.stored(order, () => this.executions.run(order, this.config.SETTLEMENT_WAIT_MS, known));
  }

  /** The program's verdict, or undefined while the chain is away. */
  private async judge(draft: Order, account: Account): Promise<Judged | undefined> {
    try {
      return await this.settlement.judge(draft, account);
    } catch (error) {
      if (error instanceof ChainUnavailableError) return undefined;
      throw error;
    }
  }

  private async notWaiting({ id }: Order): Promise<Conflict> {
    const { status } = await this.current(id);
    const shown = status === 'created' ? 'submitted' : status;
    return new Conflict(`It does not wait for approval: it is ${shown}.`, shown);
  }
}

/** "Non-policy failure": nothing moved, and the same order may be tried again. */
function isRerunnable({ status, rejectionReason }: Order): boolean {
  return status === 'failed' || (status === 'rejected' && rejectionReason === 'insufficient_balance');
}
