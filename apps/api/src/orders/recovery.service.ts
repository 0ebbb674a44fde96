import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { JobsService } from '../jobs/jobs.service';
import { Failpoints } from '../runtime/failpoints';
import { Executions } from './executions';
import { OrderStore } from './order.store';

const EVERY_MS = 2_000;
/** Transfers claimed at once, and how long each may take before it is left for the next round. */
const BATCH = 50;
const WAIT_MS = 20_000;

/** Finishes what a request could not: its time was up, or its process died. */
@Injectable()
export class RecoveryService implements OnModuleInit {
  private readonly logger = new Logger('Recovery');

  constructor(
    private readonly jobs: JobsService,
    private readonly store: OrderStore,
    private readonly executions: Executions,
    private readonly failpoints: Failpoints,
  ) {}

  onModuleInit(): void {
    this.jobs.register({ name: 'transfer-recovery', everyMs: EVERY_MS, sweep: () => this.recover() });
    this.jobs.register({ name: 'approval-expiry', everyMs: EVERY_MS, sweep: () => this.expireApprovals() });
  }

  private async recover(): Promise<void> {
    const overdue = await this.store.claimOverdue(BATCH);
    if (overdue.length > 0) this.failpoints.pass('recovery.claimed');
    const outcomes = await Promise.allSettled(overdue.map((transfer) => this.executions.run(transfer, WAIT_MS)));
    for (const [index, outcome] of outcomes.entries()) {
      const id = overdue[index]?.id;
      if (outcome.status === 'fulfilled') this.logger.log(`${id} is ${outcome.value.status}`);
      else this.logger.warn(`${id} is not recovered yet: ${String(outcome.reason)}`);
    }
  }

  private async expireApprovals(): Promise<void> {
    for (const transfer of await this.store.expiredApprovals(BATCH)) await this.store.expire(transfer);
  }
}
