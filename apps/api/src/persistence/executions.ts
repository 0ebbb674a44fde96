import { Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { type LogIds, withLogIds } from '../runtime/observability/log-context';
import { RENEWALS_PER_LEASE } from './lease';

/** Longer than any work takes, all time-outs of its calls together. Work that is still running then hangs: its row is left to others. */
const MAX_WORK_MS = 5 * 60_000;

/**
 * The rows that this process works on. Renews their leases, and lets callers that ask for the same row share its outcome. Without
 * renewal another process takes the row up: twice the work, and still one payment.
 */
export abstract class Executions<T> implements OnModuleInit, OnModuleDestroy {
  protected abstract readonly logger: Logger;
  private readonly running = new Map<string, { work: Promise<T>; until: number }>();
  private renewal: NodeJS.Timeout | undefined;

  constructor(
    private readonly leaseMs: number,
    private readonly maxWorkMs = MAX_WORK_MS,
  ) {}

  protected abstract renewLeases(ids: string[]): Promise<void>;

  onModuleInit(): void {
    this.renewal = setInterval(() => void this.renew(), this.leaseMs / RENEWALS_PER_LEASE).unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.renewal);
  }

  /** Keeps `work` on a leased row until it ends. Returns it. */
  protected track(id: string, work: Promise<T>): Promise<T> {
    const execution = { work, until: performance.now() + this.maxWorkMs };
    this.running.set(id, execution);
    const leave = (): void => void (this.running.get(id) === execution && this.running.delete(id));
    work.then(leave, leave);
    return work;
  }

  /** Resumes the work on rows whose processes died, all at once, and logs how each ends under the row's ids. */
  protected async resumeAll<Row extends { id: string; status: string }>(
    overdue: Row[],
    idsOf: (row: Row) => LogIds,
    resume: (row: Row) => Promise<Row>,
  ): Promise<void> {
    const resumed = async (row: Row): Promise<void> => {
      try {
        this.logger.log(`${row.id} is ${(await resume(row)).status}`);
      } catch (error) {
        this.logger.warn(`${row.id} is not recovered yet: ${String(error)}`);
      }
    };
    await Promise.all(overdue.map((row) => withLogIds(idsOf(row), () => resumed(row))));
  }

  /** The work on a row in this process, if there is any. */
  protected runningOn(id: string): Promise<T> | undefined {
    return this.running.get(id)?.work;
  }

  private async renew(): Promise<void> {
    for (const [id, { until }] of this.running) {
      if (performance.now() < until) continue;
      this.running.delete(id);
      this.logger.error(`The work on ${id} hangs: its lease is not renewed any more.`);
    }
    if (this.running.size === 0) return;
    await this.renewLeases([...this.running.keys()]).catch((error: unknown) =>
      this.logger.warn(`Leases were not renewed: ${String(error)}`),
    );
  }
}
