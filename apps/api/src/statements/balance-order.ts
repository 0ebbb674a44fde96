/** The order of a statement's entries. */
import type { LedgerEntry } from '../ledger';

/** The most entries that wait for an earlier deposit. With more, the balance is shown below zero. */
const MAX_WAITING = 1_000;

type Movement = Pick<LedgerEntry, 'direction' | 'microUsdc'>;

/**
 * Puts entries in an order in which the balance never falls below zero, as on the chain. They come in the order in which they were written: a
 * deposit is written when it is found, which may be after it was spent, and entries of one millisecond have no order at all. An entry that
 * the balance does not cover waits for what comes in.
 */
export class BalanceOrder<Entry extends Movement> {
  private waiting: Entry[] = [];

  /** @param balance the balance before the first entry, in micro-USDC */
  constructor(private balance: bigint) {}

  /** Takes the next entries. Returns those that follow in the statement. */
  next(entries: readonly Entry[]): Entry[] {
    return entries.flatMap((entry) => {
      if (entry.direction === 'in') return [this.put(entry), ...this.covered()];
      this.waiting.push(entry);
      return this.covered();
    });
  }

  /** The entries that still wait. */
  rest(): Entry[] {
    return this.waiting.splice(0).map((entry) => this.put(entry));
  }

  private covered(): Entry[] {
    let count = 0;
    let left = this.balance;
    for (const { microUsdc } of this.waiting) {
      if (left < microUsdc && this.waiting.length - count <= MAX_WAITING) break;
      left -= microUsdc;
      count++;
    }
    return this.waiting.splice(0, count).map((entry) => this.put(entry));
  }

  private put(entry: Entry): Entry {
    this.balance += entry.direction === 'in' ? entry.microUsdc : -entry.microUsdc;
    return entry;
  }
}
