import { Injectable, type OnModuleInit } from '@nestjs/common';
import { JobsService } from '../../jobs/jobs.service';
import { Failpoints } from '../../runtime/failpoints';
import { OrderExecutions } from './executions';
import { OrderReader } from '../store/order-reader';
import { OrderStore } from '../store/order.store';
import { OrdersService } from '../orders.service';

const EVERY_MS = 2_000;
/** Orders claimed at once, and how long each may take before the next round. */
const BATCH = 256;
const WAIT_MS = 5_000;

/** Finishes orders whose request timed out or whose process died. */
@Injectable()
export class RecoveryService implements OnModuleInit {
  constructor(
    private readonly jobs: JobsService,
    private readonly store: OrderStore,
    private readonly orderReader: OrderReader,
    private readonly orders: OrdersService,
    private readonly executions: OrderExecutions,
    private readonly failpoints: Failpoints,
  ) {}

  onModuleInit(): void {
    this.jobs.register({ name: 'transfer-recovery', everyMs: EVERY_MS, run: () => this.recover() });
    this.jobs.register({ name: 'approval-expiry', everyMs: EVERY_MS, run: () => this.expireApprovals() });
  }

  private async recover(): Promise<void> {
    const overdue = await this.store.claimOverdue(BATCH);
    if (overdue.length > 0) this.failpoints.pass('recovery.claimed');
    await this.executions.resume(overdue, WAIT_MS);
  }

  private async expireApprovals(): Promise<void> {
    for (const order of await this.orderReader.expiredApprovals(BATCH)) await this.orders.expire(order);
  }
}
