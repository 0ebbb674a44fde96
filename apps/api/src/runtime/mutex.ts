/** One holder of each key at a time in this process, in the order of arrival. */
export class Mutex {
  private readonly last = new Map<string, Promise<void>>();

  /**
   * Waits for the key. The holder calls `release` in any case. `hasWaited` says that another holder may have changed what was read before.
   */
  async acquire(key: string): Promise<{ release: () => void; hasWaited: boolean }> {
    const before = this.last.get(key);
    let unlock: () => void = () => undefined;
    const mine = new Promise<void>((resolve) => (unlock = resolve));
    this.last.set(key, mine);
    if (before) await before;
    const release = (): void => {
      if (this.last.get(key) === mine) this.last.delete(key);
      unlock();
    };
    return { release, hasWaited: before !== undefined };
  }

  /** Runs `work` while it holds the key. A failure does not stop the next holder. */
  async runExclusive<T>(key: string, work: (hasWaited: boolean) => Promise<T>): Promise<T> {
    const { release, hasWaited } = await this.acquire(key);
    try {
      return await work(hasWaited);
    } finally {
      release();
    }
  }
}
