/** Slots and blockhashes: one of each every 400 ms of wall time, whether the chain runs or not. */
import { createHash } from 'node:crypto';
import { toBase58 } from './bytes';

export const SLOT_MS = 400;
/** How many slots after its own a blockhash still admits a transaction. */
export const BLOCKHASH_LIFETIME_SLOTS = 150;
/** How many slots must follow one before it is final. */
export const FINALITY_SLOTS = 32;

/** What must be kept to find the same slots and blockhashes again. */
export interface SlotsState {
  /** Hex; a blockhash is made of this and its slot's number, so none need be stored. */
  seed: string;
  firstSlot: number;
  startedAtMs: number;
  /** Slots that were skipped forward by order, beyond what time brought. */
  skipped: number;
  latest: number;
}

/** The chain's slots. The number never goes down, whatever the machine's clock does. */
export class Slots {
  private readonly ages = new Map<string, number>();

  constructor(readonly state: SlotsState) {
    this.remember(this.oldestValid());
  }

  get current(): number {
    return this.state.latest;
  }

  /** The newest slot that nothing can undo. */
  get finalized(): number {
    return Math.max(this.state.firstSlot, this.current - FINALITY_SLOTS);
  }

  /** Moves on to the slot of this moment, and says whether that is another one. */
  advance(nowMs: number): boolean {
    const { firstSlot, startedAtMs, skipped } = this.state;
    return this.moveTo(firstSlot + skipped + Math.floor((nowMs - startedAtMs) / SLOT_MS));
  }

  /** Skips slots that time has not brought. */
  skip(count: number): void {
    this.state.skipped += count;
    this.moveTo(this.current + count);
  }

  /** Moves on to a slot known to have been reached. */
  moveTo(slot: number): boolean {
    if (slot <= this.current) return false;
    const previous = this.current;
    this.state.latest = slot;
    this.remember(Math.max(previous + 1, this.oldestValid()));
    return true;
  }

  blockhashOf(slot: number): string {
    return toBase58(createHash('sha256').update(`${this.state.seed}:${slot}`).digest());
  }

  /** The last slot at which a transaction with this blockhash is taken; undefined when the hash is unknown or too old. */
  lastValidSlot(blockhash: string): number | undefined {
    const slot = this.ages.get(blockhash);
    return slot === undefined ? undefined : slot + BLOCKHASH_LIFETIME_SLOTS;
  }

  private oldestValid(): number {
    return Math.max(this.state.firstSlot, this.current - BLOCKHASH_LIFETIME_SLOTS);
  }

  private remember(from: number): void {
    for (let slot = from; slot <= this.current; slot++) this.ages.set(this.blockhashOf(slot), slot);
    for (const [blockhash, slot] of this.ages) {
      if (slot >= this.oldestValid()) break; // In order of age: the rest is younger.
      this.ages.delete(blockhash);
    }
  }
}
