/** Landed transactions, by signature and by address. Only this index is in memory; the rest is in the log. */
import { decodeHead, decodeTransaction, type RecordHead, type TransactionRecord } from './record';
import type { Location, Log } from './log';
import type { TransactionError } from '../wire/transaction-error';

/** How many transactions are kept. */
export interface HistoryLimits {
  /** At least this many. */
  keptTransactions: number;
  /** The size of a segment of the log, in entries; whole segments are dropped. */
  segmentTransactions: number;
}

export interface Entry {
  id: string;
  slot: number;
  unixSeconds: number;
  error: TransactionError | null;
  memo: string | null;
  location: Location;
}

export interface Page {
  limit: number;
  before?: string;
  until?: string;
}

export class History {
  private readonly byId = new Map<string, Entry>();
  private readonly byAddress = new Map<string, Entry[]>();
  private readonly segments = new Map<number, Entry[]>();

  constructor(
    private readonly log: () => Log,
    private readonly limits: HistoryLimits,
  ) {}

  get size(): number {
    return this.byId.size;
  }

  find(id: string): Entry | undefined {
    return this.byId.get(id);
  }

  /** The complete record of a transaction. */
  read(entry: Entry): TransactionRecord {
    return decodeTransaction(this.log().read(entry.location));
  }

  add(head: RecordHead, location: Location): Entry {
    const { id, slot, unixSeconds, error, memo } = head;
    const entry = { id, slot, unixSeconds, error, memo, location };
    this.byId.set(id, entry);
    listIn(this.segments, location.segment).push(entry);
    for (const address of new Set(head.addresses)) listIn(this.byAddress, address).push(entry);
    return entry;
  }

  /** The transactions that named the address, newest first. */
  ofAddress(address: string, page: Page): Entry[] {
    const entries = this.byAddress.get(address) ?? [];
    const from = page.before === undefined ? entries.length : indexOf(entries, this.byId.get(page.before));
    const found: Entry[] = [];
    for (let n = from - 1; n >= 0 && found.length < page.limit; n--) {
      if (entries[n]!.id === page.until) break;
      found.push(entries[n]!);
    }
    return found;
  }

  /** The transactions of one slot, in order. */
  inSlot(slot: number): Entry[] {
    const found: Entry[] = [];
    for (const entries of this.segments.values()) {
      if (entries.length === 0 || entries[0]!.slot > slot || entries.at(-1)!.slot < slot) continue;
      found.push(...entries.filter((entry) => entry.slot === slot));
    }
    return found;
  }

  /** Whether the log should start another segment. */
  isSegmentFull(segment: number): boolean {
    return (this.segments.get(segment)?.length ?? 0) >= this.limits.segmentTransactions;
  }

  /** Drops the oldest segments, as long as enough transactions remain and no dropped one could be submitted again. */
  prune(options: { beforeSegment: number; beforeSlot: number }): void {
    for (const [segment, entries] of this.segments) {
      const isNeeded =
        segment >= options.beforeSegment ||
        this.byId.size - entries.length < this.limits.keptTransactions ||
        (entries.at(-1)?.slot ?? 0) >= options.beforeSlot;
      if (isNeeded) return;
      this.forget(segment, entries);
      this.log().drop(segment);
    }
  }

  private forget(segment: number, entries: Entry[]): void {
    for (const { id } of entries) this.byId.delete(id);
    this.segments.delete(segment);
    for (const [address, list] of this.byAddress) {
      const kept = list.findIndex((entry) => entry.location.segment > segment);
      if (kept === -1) this.byAddress.delete(address);
      else if (kept > 0) list.splice(0, kept);
    }
  }
}

/** The head of a record if it is a transaction's. */
export function headIfTransaction(payload: Buffer): RecordHead | undefined {
  const head = decodeHead(payload);
  return head.kind === 'transaction' ? head : undefined;
}

function listIn<K>(lists: Map<K, Entry[]>, key: K): Entry[] {
  let list = lists.get(key);
  if (!list) lists.set(key, (list = []));
  return list;
}

/** Entries are in the order of the log. For an entry that is not in the list, the position where it would be. */
function indexOf(entries: Entry[], entry: Entry | undefined): number {
  if (!entry) return 0;
  let [low, high] = [0, entries.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(entries[middle]!, entry)) low = middle + 1;
    else high = middle;
  }
  return low;
}

function isBefore(a: Entry, b: Entry): boolean {
  return (
    a.location.segment - b.location.segment < 0 || (a.location.segment === b.location.segment && a.location.offset < b.location.offset)
  );
}
