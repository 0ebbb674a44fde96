/** Work on the same thing, one after the other within this process, in the order in which it came; a failure does not stop the next. */
export class Mutex {
  private readonly last = new Map<string, Promise<unknown>>();

  /** `work` hears whether it had to wait: what was read before it may be older than the work before it. */
  take<T>(key: string, work: (hasWaited: boolean) => Promise<T>): Promise<T> {
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
