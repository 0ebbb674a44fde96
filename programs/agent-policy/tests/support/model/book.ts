/** Amounts that left an account or a fleet, and when, as a list without buckets; and what is reserved. */
const DAY = 86_400;
const MONTH = 30 * DAY;
/** Seconds that the program may count an amount longer than the span: up to the end of its bucket. */
const LATER = { day: 899, month: DAY - 1 } as const;
const SPAN = { day: DAY, month: MONTH } as const;
export type Span = keyof typeof SPAN;

/** Bounds of a sum: the program never counts less than the first, or more than the second. */
export type Bounds = readonly [least: bigint, most: bigint];

export class Book {
  private left: { time: number; amount: bigint }[] = [];
  reserved = 0n;
  lifetime = 0n;

  constructor(
    /** The latest time of what was booked: a clock that steps back releases nothing. */
    private latest: number,
  ) {}

  record(amount: bigint, now: number): void {
    this.latest = Math.max(this.latest, now);
    this.lifetime += amount;
    this.left.push({ time: this.latest, amount });
    if (this.left.length > 5_000 && this.isOld(this.left[2_500])) this.left = this.left.filter((one) => !this.isOld(one));
  }

  reserve(amount: bigint, now: number): void {
    this.record(0n, now);
    this.reserved += amount;
  }

  /** Ends what holds `held` micro-USDC, of which `spent` left. */
  release(held: bigint, spent: bigint, now: number): void {
    this.reserved -= held;
    this.record(spent, now);
  }

  /** The amount that left in the span, as seen at `now`, and at the latest booking by default. */
  leftIn(span: Span, now = 0): Bounds {
    const latest = Math.max(this.latest, now);
    const sum = (from: number) => {
      let total = 0n;
      for (let index = this.left.length - 1; index >= 0; index--) {
        const one = this.left[index];
        if (!one || one.time < from) break;
        total += one.amount;
      }
      return total;
    };
    return [sum(latest - SPAN[span]), sum(latest - SPAN[span] - LATER[span])];
  }

  private isOld(one: { time: number } | undefined): boolean {
    return one !== undefined && one.time + 2 * MONTH < this.latest;
  }

  copy(): Book {
    const copy = new Book(this.latest);
    [copy.left, copy.reserved, copy.lifetime] = [[...this.left], this.reserved, this.lifetime];
    return copy;
  }
}
