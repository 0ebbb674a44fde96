import { setTimeout } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { type Sql, storageFault } from '#database';
import { AccountsService } from '../accounts';
import type { Caller } from '../http/caller';
import { ChainUnavailable, Conflict } from '../http/domain.errors';
import { REPLAYED } from '../http/dry-run';
import type { Signed } from '../signatures';
import { Clock } from '../runtime/clock';
import { Config } from '../runtime/config';
import { Failpoints } from '../runtime/failpoints';
import { Admission } from './placing/admission';
import { Backfill } from './backfill/backfill';
import { OrderExecutions } from './processing/executions';
import type { Order } from './order.entity';
import { OrderApprovals } from './approvals/order-approvals';
import { CHAIN_AWAY } from './processing/order-failures';
import type { Simulated } from './processing/order-simulator';
import { OrderTransitions } from './processing/order-transitions';
import { OrderProcessor } from './processing/order.processor';
import { OrderInsertions, type SignedOrder } from './store/order-insertions';
import { OrderStore } from './store/order.store';
import { OrderHandlers } from './order-handlers.service';
import { isRerunnable } from './placing/order-drafts';
import { requireSameRequest } from './placing/request-hash';

/** Pause before an insert is repeated that may have been committed before its connection was lost. */
const INSERT_RETRY_MS = 200;

/** An order as far as it has come, and the headers of the answer to it. */
export interface Placed {
  order: Order;
  headers: Record<string, string>;
}

/** The actions on orders of every kind: they are placed once an idempotency key, replayed, approved, denied. */
@Injectable()
export class OrdersService {
  private readonly logger = new Logger('Orders');

  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly accounts: AccountsService,
    private readonly store: OrderStore,
    private readonly insertions: OrderInsertions,
    private readonly processor: OrderProcessor,
    private readonly approvals: OrderApprovals,
    private readonly transitions: OrderTransitions,
    private readonly handlers: OrderHandlers,
    private readonly executions: OrderExecutions,
    private readonly backfill: Backfill,
    private readonly admission: Admission,
    private readonly failpoints: Failpoints,
  ) {}

  /**
   * Stores a simulated order, with the row that its kind keeps beside it, and runs it for as long as a request waits. Of two equal
   * requests at the same time one is executed, and both get its outcome.
   * @throws IdempotencyConflict; StorageFull, FeePayerEmpty, FeeBudgetExceeded, TooManyPending, and then nothing is stored
   */
  async place(caller: Pick<Caller, 'accountIds'>, draft: Order, simulated: Simulated | undefined, companion?: Sql): Promise<Placed> {
    await this.admission.requireRoom({ isSent: simulated?.outcome.kind === 'allowed' });
    // An order with a row of its kind beside it has that row before its nonce.
    const signed = simulated && !companion ? await this.processor.signNew(simulated) : undefined;
    const inserted = await this.insert(draft, simulated, { companion, signed });
    if (!inserted) return { order: draft, headers: {} };
    const { order, isNew } = inserted;
    this.failpoints.pass('transfer.inserted');
    if (isNew && order.status === 'submitted') this.failpoints.pass('transfer.submitted');
    if (!isNew) {
      requireSameRequest(order, draft.requestHash, caller);
      return this.replay(order);
    }
    if (simulated) return this.run(order, { ...simulated, signed });
    // The chain is unavailable. The key is in use even so: only the same request runs again.
    return this.unlessStorageFails(order, async () => (await this.store.fail(order, CHAIN_AWAY)) ?? order);
  }

  /**
   * Inserts an order. If the connection is lost the order may be stored, and recovery would run it: the insert is repeated under
   * the same id until the database answers. Undefined if it does not within the time that a request waits.
   * @throws the database's error if the order is certainly not stored.
   */
  private async insert(
    draft: Order,
    simulated: Simulated | undefined,
    { companion, signed }: { companion: Sql | undefined; signed: SignedOrder | undefined },
  ): Promise<{ order: Order; isNew: boolean } | undefined> {
    const condition = this.admission.condition(draft, simulated?.outcome);
    const until = performance.now() + this.config.SETTLEMENT_WAIT_MS;
    for (let mayBeStored = false; ; await setTimeout(INSERT_RETRY_MS)) {
      try {
        const stored = signed && (await this.insertSigned(draft, signed, condition));
        if (stored) return { order: stored, isNew: true };
        const { order, isNew } = await this.insertions.insert(draft, simulated?.outcome.kind === 'allowed', { companion, condition });
        return { order, isNew: isNew || this.isOurs(order, draft, signed) };
      } catch (error) {
        const fault = storageFault(error);
        mayBeStored ||= fault === 'unknown';
        if (!fault || !mayBeStored) throw await this.admission.refusal(draft, error);
        if (performance.now() > until) return undefined;
      }
    }
  }

  private insertSigned(draft: Order, signed: SignedOrder, condition: Sql | undefined): Promise<Order | undefined> {
    return this.insertions.insertSigned(draft, signed, this.handlers.of(draft).initiated(draft, signed.transaction.signature), condition);
  }

  /** Whether a stored order is the draft of this request, and recovery has not claimed it since. */
  private isOurs({ id, status, seq, leaseUntil }: Order, draft: Order, signed: SignedOrder | undefined): boolean {
    const isAsStored = status === 'created' || (status === 'submitted' && signed !== undefined && seq === signed.seq);
    return id === draft.id && isAsStored && leaseUntil.getTime() === draft.leaseUntil.getTime() && leaseUntil > this.clock.now();
  }

  /** The outcome of a stored order. If the database becomes unavailable the outcome is unknown, and recovery finds it. */
  private async unlessStorageFails(order: Order, outcome: () => Promise<Order>, headers: Record<string, string> = {}): Promise<Placed> {
    try {
      return { order: await outcome(), headers };
    } catch (error) {
      if (!storageFault(error)) throw error;
      this.logger.warn(`The outcome of ${order.id} is not known: ${String(error)}`);
      return { order, headers };
    }
  }

  /** The outcome of an order that another request placed with the same key. */
  replay(order: Order): Promise<Placed> {
    const outcome = async (): Promise<Order> => this.executions.outcome(await this.current(order.id), this.config.SETTLEMENT_WAIT_MS);
    return this.unlessStorageFails(order, outcome, REPLAYED);
  }

  /** The effect of a request that repeats an earlier one: runs the order again if it `isRerunnable`, else replays it. */
  repeat(earlier: Order): Promise<Placed> {
    return isRerunnable(earlier) ? this.rerun(earlier, earlier) : this.replay(earlier);
  }

  /** Runs an order again that `isRerunnable`, to the destination as it is now. Replays it if another request runs it already. */
  async rerun(order: Order, destination: Pick<Order, 'destination' | 'destinationAccountId'>): Promise<Placed> {
    await this.admission.requireRoom({ isSent: true });
    let rerun: Order | undefined;
    try {
      rerun = await this.insertions.rerun(order, destination);
    } catch (error) {
      if (storageFault(error) !== 'unknown') throw error;
      // It may have begun, so it counts as submitted.
      return {
        order: Object.assign(order, { status: 'created' as const, rejectionReason: null, violation: null, failure: null }),
        headers: {},
      };
    }
    return rerun ? this.run(rerun) : this.replay(order);
  }

  /**
   * An operator's key approves an order: it is simulated again and executed. `signed`: what the operator has signed, if it holds its chain
   * key itself.
   * @throws Conflict if it does not wait; SignatureRequired, and then nothing has changed.
   */
  async approve(waiting: Order, caller: Caller, signed: Signed | null): Promise<Placed> {
    let order = await this.asLanded(waiting);
    if (signed?.isRepeated && order.approved) {
      // The process that took the signature died after it approved the order. Without the signed transaction the order waits again.
      const replayed = await this.replay(order);
      if (replayed.order.status !== 'pending_approval') return replayed;
      order = replayed.order;
    }
    if (order.status !== 'pending_approval') throw await this.notWaiting(order);
    const approval = await this.approvals.of(order, caller, signed);
    const signedApproval = (await this.approvals.needsOperator(order)) ? await this.approvals.sign(order, approval, signed) : undefined;
    const approved = await this.store.approve(order, caller, approval);
    if (!approved) throw await this.notWaiting(order);
    this.failpoints.pass('transfer.approved');
    const ready = signedApproval ? await this.transitions.submit(approved, signedApproval) : approved;
    const placed = ready ? await this.run(ready) : await this.replay(approved);
    if (placed.order.status === 'pending_approval')
      throw new ChainUnavailable('The chain cannot be reached right now. Nothing was sent, and it still waits for approval.');
    return placed;
  }

  /** An operator's key denies an order, or the service if `caller` is null. @throws Conflict if it does not wait. */
  async deny(order: Order, caller: Caller | null, reason: string | undefined): Promise<Order> {
    const denied = await this.store.deny(order, caller, reason ?? null, await this.handlers.of(order).declined(order, 'denied'));
    if (!denied) throw await this.notWaiting(order);
    return denied;
  }

  /** Ends an order whose approval was not given in time. Undefined if it has not expired. */
  async expire(order: Order): Promise<Order | undefined> {
    return this.store.expire(order, await this.handlers.of(order).declined(order, 'approval_expired'));
  }

  /** The order as it stands now, also if the job that expires approvals is late. */
  async current(id: string): Promise<Order> {
    const order = await this.store.find(id);
    const isDue = order.status === 'pending_approval' && order.approvalExpiresAt !== null && order.approvalExpiresAt <= this.clock.now();
    if (!isDue) return order;
    return (await this.expire(order)) ?? this.store.find(id);
  }

  /** An order that waits for approval, settled if it was approved and landed before the database was restored. */
  private async asLanded(order: Order): Promise<Order> {
    if (order.status !== 'pending_approval') return order;
    await this.backfill.compareOnce(await this.accounts.findEver(order.operatorId, order.accountId));
    return this.store.find(order.id);
  }

  private run(order: Order, known?: Simulated): Promise<Placed> {
    return this.unlessStorageFails(order, () => this.executions.run(order, this.config.SETTLEMENT_WAIT_MS, known));
  }

  private async notWaiting({ id }: Order): Promise<Conflict> {
    const { status } = await this.current(id);
    const shown = status === 'created' ? 'submitted' : status;
    return new Conflict(`It does not wait for approval: it is ${shown}.`, shown);
  }
}
