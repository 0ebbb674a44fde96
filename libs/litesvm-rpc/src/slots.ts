/** Slots and blockhashes: one of each every 400 ms of wall time, also while the chain is not running. */
import { createHash } from 'node:crypto';
import { toBase58 } from './wire/bytes';

export const SLOT_MS = 400;
/** Slots after its own for which a blockhash is valid. */
export const BLOCKHASH_LIFETIME_SLOTS = 150;
/** Slots after which a slot is finalized. */
export const FINALITY_SLOTS = 32;

/** The state that must be kept to compute the same slots and blockhashes again. */
export interface SlotsState {
  /** Hex. A blockhash is derived from this and its slot number, so none need be stored. */
  seed: string;
  firstSlot: number;
  startedAtMs: number;
  /** Slots that were skipped by request, in addition to those of wall time. */
  skipped: number;
  latest: number;
}

/** The chain's slots. The number never goes down, whatever the machine's clock shows. */
export class Slots {
  private readonly ages = new Map<string, number>();

  constructor(readonly state: SlotsState) {
    this.remember(this.oldestValid());
  }

  get current(): number {
    return this.state.latest;
  }

  /** The newest finalized slot. */
  get finalized(): number {
    return Math.max(this.state.firstSlot, this.current - FINALITY_SLOTS);
  }

  /** Advances to the slot of this wall time. Returns whether it is a new one. */
  advance(nowMs: number): boolean {
    const { firstSlot, startedAtMs, skipped } = this.state;
    return this.moveTo(firstSlot + skipped + Math.floor((nowMs - startedAtMs) / SLOT_MS));
  }

  /** Skips slots. */
  skip(count: number): void {
    this.state.skipped += count;
    this.moveTo(this.current + count);
  }

  /** Advances to a slot that was reached before. */
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

  /** The last slot at which a transaction with this blockhash is valid; undefined if the hash is unknown or too old. */
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
      if (slot >= this.oldestValid()) break; // In order of age: the rest is newer.
      this.ages.delete(blockhash);
    }
  }
}
