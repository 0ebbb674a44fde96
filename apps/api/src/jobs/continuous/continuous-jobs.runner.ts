import { Injectable, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { withLogIds } from '../../runtime/observability/log-context';
import { ContinuousJobsService } from './continuous-jobs.service';

/** How long a shutdown waits for continuous jobs to return. Another worker claims what is cut off. */
const SHUTDOWN_WAIT_MS = 20_000;

/** Runs the continuous jobs, from the worker's start to its end. */
@Injectable()
export class ContinuousJobsRunner implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('Jobs');
  private readonly ending = new AbortController();
  private running: Promise<unknown> = Promise.resolve();

  constructor(private readonly jobs: ContinuousJobsService) {}

  onApplicationBootstrap(): void {
    this.running = Promise.all(
      this.jobs
        .all()
        .map(({ name, run }) =>
          withLogIds({ job: name }, () => run(this.ending.signal)).catch((error: unknown) =>
            this.logger.error(`The job ${name} has ended: ${error instanceof Error ? error.stack : String(error)}`),
          ),
        ),
    );
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.ending.abort();
    await Promise.race([this.running, new Promise((resolve) => setTimeout(resolve, SHUTDOWN_WAIT_MS).unref())]);
  }
}
