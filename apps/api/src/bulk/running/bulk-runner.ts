import { setTimeout } from 'node:timers/promises';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { ContinuousJobsService } from '../../jobs/continuous/continuous-jobs.service';
import { Outages } from '../../jobs/outages';
import { BulkJobsStore } from '../store/bulk-jobs.store';
import { BulkTurns } from './bulk-turns';

/** How often an idle worker polls for jobs: three cheap statements on the jobs that are open. */
const POLL_MS = 250;
/** The pause after an error, most likely of the database. */
const ERROR_PAUSE_MS = 1_000;
/** Jobs that one process works on at once. Pauses never wait for other jobs. */
const MAX_PAUSES = 16;
const MAX_OTHERS = 8;

/** Claims bulk jobs and lets them have their turns, for as long as the worker runs. */
@Injectable()
export class BulkRunner implements OnModuleInit {
  private readonly logger = new Logger('Bulk');
  private readonly outages = new Outages(this.logger);
  private readonly pauses = new Set<Promise<void>>();
  private readonly others = new Set<Promise<void>>();

  constructor(
    private readonly jobs: ContinuousJobsService,
    private readonly store: BulkJobsStore,
    private readonly turns: BulkTurns,
  ) {}

  onModuleInit(): void {
    this.jobs.register({ name: 'bulk-jobs', run: (signal) => this.run(signal) });
  }

  /** Polls until the signal, then waits until the accounts in work are finished. */
  private async run(signal: AbortSignal): Promise<void> {
    signal.addEventListener('abort', () => this.turns.stop());
    while (!signal.aborted) {
      const waitMs = await this.poll().catch((error: unknown) => {
        if (!this.outages.note(error)) this.logger.error(`Bulk jobs wait: ${error instanceof Error ? error.stack : String(error)}`);
        return ERROR_PAUSE_MS;
      });
      await setTimeout(waitMs, undefined, { signal }).catch(() => undefined);
    }
    await Promise.all([...this.pauses, ...this.others]);
  }

  /** Starts the jobs whose turn it is. Returns how long to wait before the next poll, in milliseconds. */
  private async poll(): Promise<number> {
    await this.store.supersedeDecided();
    const claimed = await this.store.claim({ pauses: MAX_PAUSES - this.pauses.size, others: MAX_OTHERS - this.others.size });
    this.outages.end('database');
    for (const job of claimed) {
      const running = job.action === 'pause' ? this.pauses : this.others;
      const turn = this.turns.run(job);
      running.add(turn);
      void turn.finally(() => running.delete(turn));
    }
    return POLL_MS;
  }
}
