import { Injectable } from '@nestjs/common';

/**
 * Recurring work that finds what is overdue and does it. It may run twice at once, in one process or in two, so its rows are leased or
 * locked.
 */
export interface RecurringJob {
  /** Unique, in kebab-case. */
  name: string;
  everyMs: number;
  run(): Promise<void>;
}

const NAME = /^[a-z][a-z0-9-]{0,63}$/;

const schedulerOf = ({ everyMs }: RecurringJob): string => `every-${everyMs}-ms`;

/** The recurring jobs of all features. Each feature registers its own in `onModuleInit`; the worker runs them. */
@Injectable()
export class JobsService {
  private readonly jobs = new Map<string, RecurringJob>();

  /** @throws Error for a name that is malformed or registered already. */
  register(job: RecurringJob): void {
    // The name becomes a part of BullMQ's job ids, which may hold no colon.
    if (!NAME.test(job.name) || this.jobs.has(job.name)) throw new Error(`"${job.name}" is no name for a job, or is registered already.`);
    this.jobs.set(job.name, job);
  }

  find(name: string): RecurringJob | undefined {
    return this.jobs.get(name);
  }

  all(): RecurringJob[] {
    return [...this.jobs.values()];
  }

  /**
   * The schedulers with their periods in milliseconds: one for all jobs of a period, because most of what a job costs that finds nothing to
   * do is the queue's, a run.
   */
  schedulers(): Map<string, number> {
    return new Map(this.all().map((job) => [schedulerOf(job), job.everyMs]));
  }

  /** The jobs that a scheduler runs. */
  scheduledBy(scheduler: string): RecurringJob[] {
    return this.all().filter((job) => schedulerOf(job) === scheduler);
  }
}
