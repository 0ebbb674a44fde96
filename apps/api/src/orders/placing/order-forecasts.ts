import { Injectable } from '@nestjs/common';
import { asksForApproval, ChainUnavailableError, type Violation } from '#chain';
import { type Account, PolicyLists } from '../../accounts';
import { ChainUnavailable } from '../../http/domain.errors';
import { type Prediction, REPLAYED } from '../../http/dry-run';
import { Failpoints } from '../../runtime/failpoints';
import { Admission } from './admission';
import { Backfill } from '../backfill/backfill';
import { HandedOrders } from './handed-orders';
import { isRerunnable } from './order-drafts';
import { storeFailure } from '../processing/order-failures';
import { OrderHandlers, type OrderInstruction } from '../order-handlers.service';
import { OrderSimulator, type Simulated } from '../processing/order-simulator';
import type { Order, StoredViolation } from '../order.entity';
import { failureError, Rejected, requireNoDecline } from '../orders.errors';
import { OrdersService } from '../orders.service';
import { storeViolation, type Violated } from '../processing/violations';

/** The outcome that an order would have now: of a request before it is stored, and of a dry run. */
@Injectable()
export class OrderForecasts {
  constructor(
    private readonly orders: OrdersService,
    private readonly lists: PolicyLists,
    private readonly simulator: OrderSimulator,
    private readonly handlers: OrderHandlers,
    private readonly backfill: Backfill,
    private readonly admission: Admission,
    private readonly handed: HandedOrders,
    private readonly failpoints: Failpoints,
  ) {}

  /**
   * Simulates a new order before it is stored, so that a request that cannot be executed leaves its idempotency key free.
   * Undefined while the chain is unavailable.
   */
  async simulate(draft: Order, account: Account, instruction?: OrderInstruction): Promise<Simulated | undefined> {
    try {
      await this.backfill.compareOnce(account);
      const known = instruction ?? (await this.handlers.of(draft).instruction(draft));
      return await this.handed.judged(draft, this.simulator.simulate(draft, account, known));
    } catch (error) {
      if (error instanceof ChainUnavailableError) return undefined;
      throw error;
    } finally {
      this.failpoints.pass('transfer.simulated');
    }
  }

  /** The outcome that placing a simulated order would have. @throws the decline that it would answer, without the name of an order. */
  async predict(draft: Order, simulated: Simulated | undefined): Promise<Prediction> {
    if (!simulated) throw new ChainUnavailable();
    const { outcome } = simulated;
    if (outcome.kind === 'failed') throw failureError({}, storeFailure(outcome.failure, draft));
    const requiresApproval = outcome.kind === 'violation' && asksForApproval(outcome.violation.rule);
    if (outcome.kind === 'allowed' || requiresApproval) {
      await this.admission.check(draft, outcome);
      return { requiresApproval };
    }
    const violation = outcome.kind === 'declined' ? outcome.violation : await this.describe(outcome.violation, draft);
    throw new Rejected({}, { reason: violation.rule, violation });
  }

  /** Checks that the service takes an order of this outcome. @throws StorageFull, FeePayerEmpty, FeeBudgetExceeded, TooManyPending */
  async requireAdmission(draft: Order, { outcome }: Simulated): Promise<void> {
    await this.admission.check(draft, outcome);
  }

  /** A violation as it is stored and shown, with what the policy lists if a list is in the way. */
  async describe(violation: Violation, order: Pick<Order, 'operatorId' | 'accountId'> & Violated): Promise<StoredViolation> {
    return storeViolation(violation, order, await this.lists.factsOf(violation, order));
  }

  /** The outcome that the same request would have now, if an earlier one holds its key. @throws the decline that it would answer. */
  async predictRepeat(earlier: Order, account: Account): Promise<Prediction> {
    if (isRerunnable(earlier)) return this.predict(earlier, await this.simulate(earlier, account));
    const order = await this.orders.current(earlier.id);
    requireNoDecline(order, REPLAYED);
    return { requiresApproval: order.status === 'pending_approval', isReplay: true };
  }
}
