/** One holder a key at a time within this process, in the order of arrival. A failure does not stop the next holder. */
export class Mutex {
  private readonly last = new Map<string, Promise<unknown>>();

  /** Runs `work` while it holds the key. `hasWaited` says that another holder may have changed what was read before. */
  runExclusive<T>(key: string, work: (hasWaited: boolean) => Promise<T>): Promise<T> {
    const before = this.last.get(key);
    const mine = before
      ? before.then(
          () => work(true),
          () => work(true),
        )
      : work(false);
    this.last.set(key, mine);
    const leave = (): void => {
      if (this.last.get(key) === mine) this.last.delete(key);
    };
    mine.then(leave, leave);
    return mine;
  }
}
