import { setTimeout } from 'node:timers/promises';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { JobsService } from '../../jobs/jobs.service';
import { Executions } from '../../persistence/executions';
import { Config } from '../../runtime/config';
import { addLogIds, type LogIds } from '../../runtime/observability/log-context';
import type { Payment } from '../payment.entity';
import { PaymentProcess } from './payment-process';
import { PaymentStore } from '../payment.store';

const RECOVERY_EVERY_MS = 2_000;
const RECOVERY_BATCH = 50;
/** How long a replay waits for the first request: two calls of the provider and the chain in between. */
const OUTCOME_WAIT_MS = 90_000;
const POLL_MS = 100;
/** Two answers of a provider that take as long as its record may allow, and the time-outs around them. */
const MAX_WORK_MS = 25 * 60_000;

/** The payments that this process works on, and recovery of those that no process works on. */
@Injectable()
export class PaymentExecutions extends Executions<Payment> implements OnModuleInit {
  protected readonly logger = new Logger('Payments');

  constructor(
    config: Config,
    private readonly process: PaymentProcess,
    private readonly store: PaymentStore,
    private readonly jobs: JobsService,
  ) {
    super(config.LEASE_MS, MAX_WORK_MS);
  }

  override onModuleInit(): void {
    super.onModuleInit();
    this.jobs.register({ name: 'payment-recovery', everyMs: RECOVERY_EVERY_MS, run: () => this.recover() });
  }

  /** Keeps a payment that the caller has leased, and its process, until it ends. */
  run({ id }: Payment, running: Promise<Payment>): Promise<Payment> {
    addLogIds({ payment_id: id });
    return this.track(id, running);
  }

  /** The outcome of a payment that is being worked on, or its state after a while. */
  async outcome(id: string): Promise<Payment> {
    const until = performance.now() + OUTCOME_WAIT_MS;
    for (;;) {
      const here = this.runningOn(id);
      if (here) return here;
      const payment = await this.store.find(id);
      if (payment.status !== 'created' || performance.now() > until) return payment;
      await setTimeout(POLL_MS);
    }
  }

  protected renewLeases(ids: string[]): Promise<void> {
    return this.store.renewLeases(ids);
  }

  private async recover(): Promise<void> {
    const overdue = (await this.store.claimOverdue(RECOVERY_BATCH)).filter(({ id }) => !this.runningOn(id));
    await this.resumeAll(overdue, idsOf, (payment) => this.run(payment, this.process.resume(payment)));
  }
}

function idsOf({ id, accountId, operatorId }: Payment): LogIds {
  return { payment_id: id, account_id: accountId, operator_id: operatorId };
}
