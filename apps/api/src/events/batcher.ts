import { setTimeout as pause } from 'node:timers/promises';

/** How often failed work is tried, and the pause before the next try: together as long as a database takes to start. */
const TRIES = 300;
const RETRY_MS = 200;

/** Does the work for many items at once. Items that are added while a batch is processed go into the next one. */
export class Batcher<Item, Result> {
  private pending: Item[] = [];
  private current: Promise<unknown> = Promise.resolve();
  private next: Promise<Result> | undefined;

  constructor(private readonly work: (items: Item[]) => Promise<Result>) {}

  /** Adds an item to the next batch. Returns the result of that batch. @throws the error of the last try. */
  add(item: Item): Promise<Result> {
    this.pending.push(item);
    this.next ??= this.current.then(() => this.begin());
    return this.next;
  }

  private begin(): Promise<Result> {
    const items = this.pending;
    this.pending = [];
    this.next = undefined;
    const batch = this.persist(items);
    this.current = batch.catch(() => undefined);
    return batch;
  }

  private async persist(items: Item[]): Promise<Result> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.work(items);
      } catch (error) {
        if (tries >= TRIES) throw error;
        await pause(RETRY_MS);
      }
    }
  }
}
