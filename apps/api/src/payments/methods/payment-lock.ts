import type { Mutex } from '../../runtime/mutex';

/**
 * One payment's lock on the source of its money. The method takes it before it makes the credential; the process holds it until the answer
 * is stored, so that the next payment out of the same source adds to it.
 */
export class PaymentLock {
  private unlock: () => void = () => undefined;

  constructor(private readonly mutex: Mutex) {}

  /**
   * Waits for the earlier payments of `key` in this process. Returns whether there were any: then what was read before may have changed.
   * A lock that is still held is released first.
   */
  async take(key: string): Promise<boolean> {
    this.release();
    const { release, hasWaited } = await this.mutex.acquire(key);
    this.unlock = release;
    return hasWaited;
  }

  /** Lets the next payment of the source go on. Does nothing if no lock is held. */
  release(): void {
    this.unlock();
  }
}
