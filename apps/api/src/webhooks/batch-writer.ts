import { setTimeout as pause } from 'node:timers/promises';

/** What cannot be written is tried again, so often and after this long: for as long as a database takes to start. */
const TRIES = 300;
const RETRY_MS = 200;

/** Writes many things together: what comes while a write is under way goes into the next one. */
export class BatchWriter<Item> {
  private waiting: Item[] = [];
  private writing: Promise<void> = Promise.resolve();
  private next: Promise<void> | undefined;

  constructor(private readonly write: (items: Item[]) => Promise<void>) {}

  /** Ends when the item is written. @throws the last error, when it could not be. */
  add(item: Item): Promise<void> {
    this.waiting.push(item);
    this.next ??= this.writing.then(() => this.flush());
    return this.next;
  }

  private flush(): Promise<void> {
    const items = this.waiting;
    this.waiting = [];
    this.next = undefined;
    const written = this.persist(items);
    this.writing = written.catch(() => undefined);
    return written;
  }

  private async persist(items: Item[]): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.write(items);
      } catch (error) {
        if (tries >= TRIES) throw error;
        await pause(RETRY_MS);
      }
    }
  }
}
