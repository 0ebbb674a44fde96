import { Injectable } from '@nestjs/common';

/** Work that finds what is overdue and does it. It may run twice at once, in one process or in two: its rows are its locks. */
export interface Sweeper {
  /** Unique, in kebab-case. */
  name: string;
  everyMs: number;
  run(): Promise<void>;
}

const NAME = /^[a-z][a-z0-9-]{0,63}$/;

/** The sweepers of all features. Each feature registers its own in `onModuleInit`; the worker runs them. */
@Injectable()
export class JobsService {
  private readonly sweepers = new Map<string, Sweeper>();

  register(sweeper: Sweeper): void {
    // The name becomes a part of BullMQ's job ids, which may hold no colon.
    if (!NAME.test(sweeper.name) || this.sweepers.has(sweeper.name))
      throw new Error(`"${sweeper.name}" cannot be a sweeper's name, or is one already.`);
    this.sweepers.set(sweeper.name, sweeper);
  }

  all(): Sweeper[] {
    return [...this.sweepers.values()];
  }

  find(name: string): Sweeper | undefined {
    return this.sweepers.get(name);
  }
}
