import { Logger } from '@nestjs/common';
import { isAway } from '#chain';
import { storageFault } from '#database';
import { ChainUnavailable, StorageUnavailable } from '../http/domain.errors';
import { messageOf } from '../runtime/observability/message-of';

/** The services that background work depends on, and may find unavailable. */
export type Dependency = 'chain' | 'database';

/** The dependency whose outage an error reports; undefined for any other error. */
export function missingDependency(error: unknown): Dependency | undefined {
  if (error instanceof StorageUnavailable || storageFault(error)) return 'database';
  return isAway(error) || error instanceof ChainUnavailable ? 'chain' : undefined;
}

/**
 * Logs one warning when the chain or the database becomes unavailable and one when it is available again, however much work fails in
 * between.
 */
export class Outages {
  private readonly unavailable = new Set<Dependency>();
  private readonly notedAgain = new Set<Dependency>();

  constructor(private readonly logger: Pick<Logger, 'warn'>) {}

  /** Records an error. Returns false if it does not report an outage; the caller then logs it. */
  note(error: unknown): boolean {
    const dependency = missingDependency(error);
    if (dependency === undefined) return false;
    if (!this.unavailable.has(dependency)) this.logger.warn(`Background work waits for the ${dependency}: ${messageOf(error)}`);
    this.unavailable.add(dependency);
    this.notedAgain.add(dependency);
    return true;
  }

  /**
   * The services that are unavailable and were not noted again since the last call: they may be available again. A full disk answers
   * a query, and fails the work.
   */
  takeQuiet(): Dependency[] {
    const quiet = [...this.unavailable].filter((dependency) => !this.notedAgain.has(dependency));
    this.notedAgain.clear();
    return quiet;
  }

  /** Notes that a dependency answers. */
  end(dependency: Dependency): void {
    if (this.unavailable.delete(dependency)) this.logger.warn(`The ${dependency} is available again.`);
  }
}
