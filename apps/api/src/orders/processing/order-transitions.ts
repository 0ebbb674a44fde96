import { Injectable } from '@nestjs/common';
import { asksForApproval, type Violation } from '#chain';
import { type Account, PolicyLists } from '../../accounts';
import { Clock } from '../../runtime/clock';
import { Failpoints } from '../../runtime/failpoints';
import { inSpan } from '../../runtime/observability/tracing';
import { ApprovalMacs } from '../approvals/approval-macs';
import { NOT_LANDED } from './order-failures';
import { type Landed, OrderHandlers } from '../order-handlers.service';
import type { Simulated } from './order-simulator';
import type { Order, StoredViolation } from '../order.entity';
import type { SignedOrder } from '../store/order-insertions';
import { OrderStore } from '../store/order.store';
import { storeViolation } from './violations';

/** The transitions of an order with the side effects of its kind. Each returns undefined if another process moved the order first. */
@Injectable()
export class OrderTransitions {
  constructor(
    private readonly clock: Clock,
    private readonly store: OrderStore,
    private readonly handlers: OrderHandlers,
    private readonly lists: PolicyLists,
    private readonly macs: ApprovalMacs,
    private readonly failpoints: Failpoints,
  ) {}

  /** A rule declines the order, or asks for an operator's approval. */
  async violated(order: Order, known: Pick<Simulated, 'account' | 'instruction'>, violation: Violation): Promise<Order | undefined> {
    if (!asksForApproval(violation.rule)) return this.reject(order, violation);
    const waiting = await this.escalate(order, known, violation.limit ?? 0n);
    this.failpoints.pass('transfer.escalated');
    return waiting;
  }

  /** The chain refused a signed order, which used no nonce and can never land again: a rule has changed, or what was spent, since the simulation. */
  async refused(order: Order, account: Account, violation: Violation): Promise<Order | undefined> {
    // A charge waits for no approval.
    if (order.kind === 'charge') return this.reject(order, violation);
    return this.violated(order, { account, instruction: await this.handlers.of(order).instruction(order) }, violation);
  }

  /** The seller did not send a handed transfer while it could land. */
  async rejectHanded(order: Order): Promise<Order | undefined> {
    return this.decline(order, NOT_LANDED);
  }

  /** Stores what was signed for an order. Undefined if another process moved the order. */
  async submit(order: Order, { seq, transaction }: SignedOrder): Promise<Order | undefined> {
    const submitted = await this.store.submit(order, seq, transaction, this.handlers.of(order).initiated(order, transaction.signature));
    this.failpoints.pass('transfer.submitted');
    return submitted;
  }

  /** The order moved money. */
  async settle(order: Order, landed: Landed): Promise<Order | undefined> {
    const settledAt = this.clock.now();
    return inSpan('order.settle', {}, async () =>
      this.store.settle(order, landed, settledAt, await this.handlers.of(order).settled(order, landed, settledAt)),
    );
  }

  /** A rule of the service declines the order. */
  async decline(order: Order, violation: StoredViolation): Promise<Order | undefined> {
    return this.store.reject(order, violation, await this.handlers.of(order).declined(order, violation.rule));
  }

  private escalate(
    order: Order,
    { instruction, account }: Pick<Simulated, 'account' | 'instruction'>,
    thresholdMicroUsdc: bigint,
  ): Promise<Order | undefined> {
    const expiresAt = this.store.approvalExpiry();
    const mac = this.macs.ofWaiting(order, instruction, account, expiresAt);
    return this.store.escalate(order, { expiresAt, mac }, this.handlers.of(order).escalated(order, thresholdMicroUsdc, expiresAt));
  }

  private async reject(order: Order, violation: Violation): Promise<Order | undefined> {
    const stored = storeViolation(violation, order, await this.lists.factsOf(violation, order));
    return this.decline(order, stored);
  }
}
