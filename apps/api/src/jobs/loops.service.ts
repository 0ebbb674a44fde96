import { Injectable } from '@nestjs/common';

/** Work that never ends, for what a sweep every second would be too slow for. All workers run it at once: its rows are its locks. */
export interface Loop {
  name: string;
  /** Ends soon after the signal, and never before it. Sees to its own errors. */
  run(signal: AbortSignal): Promise<void>;
}

/** The loops of all features. Each feature registers its own in `onModuleInit`; the worker runs them. */
@Injectable()
export class LoopsService {
  private readonly loops: Loop[] = [];

  register(loop: Loop): void {
    this.loops.push(loop);
  }

  all(): readonly Loop[] {
    return this.loops;
  }
}
