import { InjectQueue, OnWorkerEvent, Processor, WorkerHost } from '@nestjs/bullmq';
import { Logger, Optional, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import type { Job, Queue } from 'bullmq';
import { DataSource } from 'typeorm';
import { Chain } from '#chain';
import { Metrics } from '../runtime/observability/metrics';
import { withLogIds } from '../runtime/observability/log-context';
import { Outages, type Dependency } from './outages';
import { JobsService, type RecurringJob } from './jobs.service';

/** The name is older than the term: a queue of another name would leave its schedulers behind in the old one. */
export const JOBS_QUEUE = 'sweeps';

/** How many jobs one process runs at once. */
const CONCURRENCY = 8;
/** How often a process checks that every scheduler is still there: a flushed Redis has none. */
const CHECK_EVERY_MS = 5_000;
/** A scheduler whose next run is this late has stopped. */
const STOPPED_AFTER_MS = 10_000;
/** A run that takes longer hangs, and does not keep the next one from starting. */
const HANGS_AFTER_MS = 5 * 60_000;
/** How long a shutdown waits for running jobs. The next run does again what is cut off. */
const SHUTDOWN_WAIT_MS = 10_000;

/**
 * Runs the recurring jobs. The queue decides only when and where: all workers share one scheduler for the jobs of one period, and the
 * next run is scheduled when one is taken, so that runs never pile up.
 */
@Processor(JOBS_QUEUE, { concurrency: CONCURRENCY, removeOnComplete: { count: 0 }, removeOnFail: { count: 0 } })
export class JobsProcessor extends WorkerHost implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('Jobs');
  private readonly outages = new Outages(this.logger);
  /** When each job that runs in this process began. */
  private readonly running = new Map<string, number>();
  private checks: NodeJS.Timeout | undefined;
  /** False if the start of the application failed before that of its workers. */
  private hasStarted = false;
  private readonly note: (labels: { job: string; outcome: string }, ms: number) => void;

  constructor(
    private readonly jobs: JobsService,
    @InjectQueue(JOBS_QUEUE) private readonly queue: Queue,
    metrics: Metrics,
    @Optional() private readonly database?: DataSource,
    @Optional() private readonly chain?: Chain,
  ) {
    super();
    this.note = metrics.durations('job_duration_seconds', 'Runs of recurring jobs.', ['job', 'outcome']);
  }

  async onApplicationBootstrap(): Promise<void> {
    this.hasStarted = true;
    this.queue.on('error', (error) => this.report(error));
    await this.schedule();
    this.checks = setInterval(() => void this.check().catch((error: Error) => this.report(error)), CHECK_EVERY_MS);
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.checks);
    if (!this.hasStarted) return;
    const late = new Promise((resolve) => setTimeout(resolve, SHUTDOWN_WAIT_MS, 'late').unref());
    if ((await Promise.race([this.worker.close(), late])) === 'late') await this.worker.close(true);
  }

  async process({ name }: Job): Promise<void> {
    await Promise.all(this.jobs.scheduledBy(name).map((job) => this.run(job)));
    // Earlier versions had a scheduler for each job. One that still runs sets it again.
    if (this.jobs.find(name)) await this.queue.removeJobScheduler(name);
  }

  /** Runs a job, unless it still runs since it was scheduled before. */
  private async run(job: RecurringJob): Promise<void> {
    const { name } = job;
    if (this.isRunning(name)) return;
    const began = performance.now();
    this.running.set(name, began);
    let outcome = 'done';
    try {
      await withLogIds({ job: name }, () => job.run());
    } catch (error) {
      outcome = 'failed';
      // The next run is the retry.
      if (!this.outages.note(error)) this.logger.error(`The job ${name} failed: ${error instanceof Error ? error.stack : String(error)}`);
    } finally {
      this.note({ job: name, outcome }, performance.now() - began);
      if (this.running.get(name) === began) this.running.delete(name);
    }
  }

  private isRunning(name: string): boolean {
    const began = this.running.get(name);
    if (began === undefined) return false;
    if (performance.now() - began < HANGS_AFTER_MS) return true;
    this.logger.error(`The job ${name} hangs: it is started again.`);
    return false;
  }

  @OnWorkerEvent('error')
  report(error: Error): void {
    if (!this.outages.note(error)) this.logger.warn(`The queue reports an error: ${error.message}`);
  }

  /**
   * A job that succeeds proves nothing about a dependency that it did not use. So a dependency that no job has missed since the last check
   * is probed.
   */
  private async check(): Promise<void> {
    for (const dependency of this.outages.takeQuiet()) if (await this.isAvailable(dependency)) this.outages.end(dependency);
    await this.schedule();
  }

  private async isAvailable(dependency: Dependency): Promise<boolean> {
    if (dependency === 'chain') return this.chain?.isReachable() ?? true;
    const answer = this.database?.query('SELECT 1') ?? Promise.resolve();
    return answer.then(
      () => true,
      () => false,
    );
  }

  /** Sets every scheduler that is missing or has stopped. */
  private async schedule(): Promise<void> {
    for (const [name, everyMs] of this.jobs.schedulers())
      if (!(await this.isScheduled(name, everyMs))) await this.queue.upsertJobScheduler(name, { every: everyMs }, { name });
  }

  private async isScheduled(name: string, everyMs: number): Promise<boolean> {
    const scheduler = await this.queue.getJobScheduler(name);
    return (scheduler?.next ?? 0) > Date.now() - everyMs - STOPPED_AFTER_MS;
  }
}
