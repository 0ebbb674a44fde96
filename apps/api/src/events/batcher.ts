import { setTimeout as pause } from 'node:timers/promises';

/** What fails is tried again, so often and after this long: for as long as a database takes to start. */
const TRIES = 300;
const RETRY_MS = 200;

/** Does many things in one statement: what comes while one is under way goes into the next. */
export class Batcher<Item, Result> {
  private waiting: Item[] = [];
  private working: Promise<unknown> = Promise.resolve();
  private next: Promise<Result> | undefined;

  constructor(private readonly work: (items: Item[]) => Promise<Result>) {}

  /** The result of the batch that the item went into. @throws the last error, when it could not be done. */
  add(item: Item): Promise<Result> {
    this.waiting.push(item);
    this.next ??= this.working.then(() => this.begin());
    return this.next;
  }

  private begin(): Promise<Result> {
    const items = this.waiting;
    this.waiting = [];
    this.next = undefined;
    const done = this.persist(items);
    this.working = done.catch(() => undefined);
    return done;
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
