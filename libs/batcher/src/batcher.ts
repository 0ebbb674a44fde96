/** Outcomes of a batch, one for each item and in their order. One that is not known yet is a promise, which the next batch does not wait for. */
export type Outcomes<Outcome> = readonly (Outcome | Promise<Outcome>)[];

export interface BatcherOptions {
  /** The most items of one batch. */
  most?: number;
  /** Batches that may be under way at once. */
  width?: number;
  /** How long others wait for a batch. The next one begins after that, so that one that hangs holds up no other. */
  patienceMs?: number;
}

const MOST = 64;
const PATIENCE_MS = 300;

interface Waiting<Item, Outcome> {
  item: Item;
  resolve(outcome: Outcome | Promise<Outcome>): void;
  reject(reason: unknown): void;
}

/**
 * Does a step for many items at once. A batch is what came while the last one ran: an item that comes alone does not wait, and under
 * load one batch serves dozens. Each item has its own outcome.
 */
export class Batcher<Item, Outcome> {
  private readonly waiting: Waiting<Item, Outcome>[] = [];
  private readonly most: number;
  private readonly width: number;
  private readonly patienceMs: number;
  private running = 0;
  private isDue = false;

  /** @param work returns an outcome for each item. If it throws, that is the outcome of all of them. */
  constructor(
    private readonly work: (items: Item[]) => Promise<Outcomes<Outcome>>,
    { most = MOST, width = 1, patienceMs = PATIENCE_MS }: BatcherOptions = {},
  ) {
    this.most = most;
    this.width = width;
    this.patienceMs = patienceMs;
  }

  /** Adds an item to the next batch. Returns its outcome. @throws the item's own error, or the one of its batch. */
  add(item: Item): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      this.begin();
    });
  }

  /** Begins a batch once everything that has arrived by now is read, unless enough are under way. */
  private begin(): void {
    if (this.isDue || this.running >= this.width || this.waiting.length === 0) return;
    this.isDue = true;
    setImmediate(() => {
      this.isDue = false;
      this.running += 1;
      void this.run(this.waiting.splice(0, this.most));
      this.begin();
    });
  }

  private async run(batch: Waiting<Item, Outcome>[]): Promise<void> {
    let isAwaited = true;
    const release = (): void => {
      if (!isAwaited) return;
      isAwaited = false;
      this.running -= 1;
      this.begin();
    };
    const timer = setTimeout(release, this.patienceMs);
    try {
      const outcomes = await this.work(batch.map(({ item }) => item));
      if (outcomes.length !== batch.length) throw new Error(`a batch of ${batch.length} items has ${outcomes.length} outcomes`);
      for (const [index, outcome] of outcomes.entries()) batch[index]?.resolve(outcome);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      clearTimeout(timer);
      release();
    }
  }
}
