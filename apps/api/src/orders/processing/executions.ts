import { setTimeout } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { Executions } from '../../persistence/executions';
import { Config } from '../../runtime/config';
import { Metrics } from '../../runtime/observability/metrics';
import { type LogIds, withLogIds } from '../../runtime/observability/log-context';
import { inTraceOf } from '../../runtime/observability/tracing';
import type { Order } from '../order.entity';
import type { Simulated } from './order-simulator';
import { OrderProcessor } from './order.processor';
import { UNRESOLVED_STATUSES } from '../order.states';
import { OrderStore } from '../store/order.store';

/** How often an order that another process works on is read. */
const POLL_MS = 100;

/** The orders that this process works on. */
@Injectable()
export class OrderExecutions extends Executions<Order> {
  protected readonly logger = new Logger('Orders');
  private readonly note: (labels: { kind: string; status: string }, ms: number) => void;

  constructor(
    config: Config,
    private readonly processor: OrderProcessor,
    private readonly store: OrderStore,
    metrics: Metrics,
  ) {
    super(config.LEASE_MS);
    this.note = metrics.durations('order_duration_seconds', 'Orders from their request to their outcome, but those that were approved.', [
      'kind',
      'status',
    ]);
  }

  /** Runs an order that the caller has leased, for at most `waitMs` milliseconds. Recovery continues after that. */
  run(order: Order, waitMs: number, known?: Simulated): Promise<Order> {
    return this.track(
      order.id,
      withLogIds(idsOf(order), () =>
        inTraceOf(order.traceparent, 'order', { 'order.id': order.id, 'order.kind': order.kind }, () =>
          this.execute(order, performance.now() + waitMs, known),
        ),
      ),
    );
  }

  /** Runs orders whose processes died, each for at most `waitMs` milliseconds. */
  resume(overdue: Order[], waitMs: number): Promise<void> {
    return this.resumeAll(overdue, idsOf, (order) => this.run(order, waitMs));
  }

  /** The final state of an order that is being worked on, or its state after `waitMs` milliseconds. */
  async outcome(order: Order, waitMs: number): Promise<Order> {
    const deadline = performance.now() + waitMs;
    let current = order;
    while (UNRESOLVED_STATUSES.includes(current.status)) {
      const here = this.runningOn(order.id);
      if (here) return this.within(deadline - performance.now(), here, order.id);
      if (performance.now() > deadline) break;
      await setTimeout(POLL_MS);
      current = await this.store.find(order.id);
    }
    return current;
  }

  protected renewLeases(ids: string[]): Promise<void> {
    return this.store.renewLeases(ids);
  }

  /** A running execution may take longer than this caller waits. */
  private async within(waitMs: number, execution: Promise<Order>, id: string): Promise<Order> {
    const timer = new AbortController();
    const late = setTimeout(Math.max(0, waitMs), undefined, { signal: timer.signal }).then(() => this.store.find(id));
    try {
      return await Promise.race([execution, late]);
    } finally {
      timer.abort();
    }
  }

  private async execute(order: Order, deadline: number, known?: Simulated): Promise<Order> {
    let isFinished = false;
    try {
      const outcome = await this.processor.run(order, deadline, known);
      isFinished = !UNRESOLVED_STATUSES.includes(outcome.status);
      if (isFinished && !outcome.approved)
        this.note({ kind: outcome.kind, status: outcome.status }, Math.max(0, Date.now() - order.createdAt.getTime()));
      return outcome;
    } finally {
      if (!isFinished) await this.store.release(order.id);
    }
  }
}

function idsOf({ id, accountId, operatorId, requestId }: Order): LogIds {
  return { order_id: id, account_id: accountId, operator_id: operatorId, ...(requestId !== null && { request_id: requestId }) };
}
