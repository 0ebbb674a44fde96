import { InjectQueue, OnWorkerEvent, Processor, WorkerHost } from '@nestjs/bullmq';
import { Logger, Optional, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import type { Job, Queue } from 'bullmq';
import { DataSource } from 'typeorm';
import { Chain } from '#chain';
import { Outages, type Dependency } from './outages';
import { JobsService, type Sweeper } from './jobs.service';

export const SWEEPS_QUEUE = 'sweeps';

/** How many sweeps one process runs at once. */
const CONCURRENCY = 8;
/** How often a process looks whether the alarm clocks still tick: a flushed Redis forgets them. */
const WATCH_EVERY_MS = 5_000;
/** An alarm so late has stopped. */
const STOPPED_AFTER_MS = 10_000;
/** How long a shutdown waits for running sweeps. What is cut off, the next sweep does again. */
const SHUTDOWN_WAIT_MS = 10_000;

/**
 * Runs the sweepers, each by an alarm clock of its own in the queue. The queue decides only when and where: all workers
 * share one clock a sweeper, and the next alarm is set when one is taken, so alarms never pile up.
 */
@Processor(SWEEPS_QUEUE, { concurrency: CONCURRENCY, removeOnComplete: { count: 0 }, removeOnFail: { count: 0 } })
export class JobsProcessor extends WorkerHost implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('Sweeps');
  private readonly outages = new Outages(this.logger);
  private readonly running = new Set<string>();
  private watch: NodeJS.Timeout | undefined;

  constructor(
    private readonly jobs: JobsService,
    @InjectQueue(SWEEPS_QUEUE) private readonly queue: Queue,
    @Optional() private readonly database?: DataSource,
    @Optional() private readonly chain?: Chain,
  ) {
    super();
  }

  async onApplicationBootstrap(): Promise<void> {
    this.queue.on('error', (error) => this.report(error));
    await this.wind();
    this.watch = setInterval(() => void this.look().catch((error: Error) => this.report(error)), WATCH_EVERY_MS);
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.watch);
    const late = new Promise((resolve) => setTimeout(resolve, SHUTDOWN_WAIT_MS, 'late').unref());
    if ((await Promise.race([this.worker.close(), late])) === 'late') await this.worker.close(true);
  }

  async process(job: Job): Promise<void> {
    const sweeper = this.jobs.find(job.name);
    // Unknown in this version, or still at it since the last alarm.
    if (!sweeper || this.running.has(sweeper.name)) return;
    this.running.add(sweeper.name);
    try {
      await sweeper.run();
    } catch (error) {
      // The next alarm is the retry.
      if (!this.outages.note(error))
        this.logger.error(`The sweep ${sweeper.name} failed: ${error instanceof Error ? error.stack : String(error)}`);
    } finally {
      this.running.delete(sweeper.name);
    }
  }

  @OnWorkerEvent('error')
  report(error: Error): void {
    if (!this.outages.note(error)) this.logger.warn(`The queue reports an error: ${error.message}`);
  }

  /** A sweep that succeeds proves nothing of what it did not need: what no sweep has missed since the last look is asked. */
  private async look(): Promise<void> {
    for (const dependency of this.outages.takeQuiet()) if (await this.isBack(dependency)) this.outages.end(dependency);
    await this.wind();
  }

  private async isBack(dependency: Dependency): Promise<boolean> {
    if (dependency === 'chain') return this.chain?.isReachable() ?? true;
    const asked = this.database?.query('SELECT 1') ?? Promise.resolve();
    return asked.then(
      () => true,
      () => false,
    );
  }

  /** Sets every alarm clock that is missing, changed or has stopped, and leaves those that tick alone. */
  private async wind(): Promise<void> {
    for (const sweeper of this.jobs.all()) {
      if (!(await this.ticks(sweeper)))
        await this.queue.upsertJobScheduler(sweeper.name, { every: sweeper.everyMs }, { name: sweeper.name });
    }
  }

  private async ticks({ name, everyMs }: Sweeper): Promise<boolean> {
    const clock = await this.queue.getJobScheduler(name);
    return clock !== undefined && Number(clock.every) === everyMs && (clock.next ?? 0) > Date.now() - everyMs - STOPPED_AFTER_MS;
  }
}
