import { Injectable } from '@nestjs/common';

/**
 * Work that runs as long as the process, if a recurring job would be too slow. All workers run it at once, so its rows are leased or
 * locked.
 */
export interface ContinuousJob {
  name: string;
  /** Returns soon after the signal, and never before it. Handles its own errors. */
  run(signal: AbortSignal): Promise<void>;
}

/** The continuous jobs of all features. Each feature registers its own in `onModuleInit`; the worker runs them. */
@Injectable()
export class ContinuousJobsService {
  private readonly jobs: ContinuousJob[] = [];

  register(job: ContinuousJob): void {
    this.jobs.push(job);
  }

  all(): readonly ContinuousJob[] {
    return this.jobs;
  }
}
