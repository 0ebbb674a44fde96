import { Injectable, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { LoopsService } from './loops.service';

/** How long a shutdown waits for loops to end. What is cut off, another worker takes up. */
const SHUTDOWN_WAIT_MS = 20_000;

/** Runs the loops, from the worker's start to its end. */
@Injectable()
export class LoopsRunner implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('Loops');
  private readonly ending = new AbortController();
  private running: Promise<unknown> = Promise.resolve();

  constructor(private readonly loops: LoopsService) {}

  onApplicationBootstrap(): void {
    this.running = Promise.all(
      this.loops
        .all()
        .map(({ name, run }) =>
          run(this.ending.signal).catch((error: unknown) =>
            this.logger.error(`The loop ${name} has ended: ${error instanceof Error ? error.stack : String(error)}`),
          ),
        ),
    );
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.ending.abort();
    await Promise.race([this.running, new Promise((resolve) => setTimeout(resolve, SHUTDOWN_WAIT_MS).unref())]);
  }
}
