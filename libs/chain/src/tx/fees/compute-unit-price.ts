/** The price of a compute unit: the priority fee, by what others paid and by whether our transactions land. */
import { PublicKey } from '@solana/web3.js';
import type { Rpc } from '../../rpc/client';

/** How long a price is used before it is asked for again. */
const MAX_AGE_MS = 5_000;
/** The share of recent slots in which the price would have been enough. */
const ENOUGH_IN = 0.75;
/** In micro-lamports a compute unit: the least once a transaction has expired, if nobody else pays, and the least of an urgent one. */
const LEAST_RAISED = 1_000n;
const LEAST_URGENT = 10_000n;
/** How much more an urgent transaction pays. */
const URGENT_FACTOR = 10n;
/** Doublings at most, and how long after the last one the price is halved again. */
const MAX_LEVEL = 12;
const LOWER_AFTER_MS = 30_000;
const MICRO_LAMPORTS_PER_LAMPORT = 1_000_000n;
/** Prices are rounded up to this many digits, so that they change seldom and messages can be prepared. */
const DIGITS = 2;

export interface ComputeUnitPriceOptions {
  /** One of them is writable in every transaction. */
  feePayers: string[];
  /** In micro-lamports a compute unit. */
  least: bigint;
  /** The most that one transaction pays as a priority fee, in lamports. */
  maxLamports: bigint;
}

export class ComputeUnitPrice {
  /** The price that others paid, in micro-lamports a compute unit. */
  private market = 0n;
  private askedAt = -Infinity;
  /** How often the price is doubled, because transactions expired. */
  private level = 0;
  private raisedAt = -Infinity;

  constructor(
    private readonly rpc: Rpc,
    private readonly options: ComputeUnitPriceOptions,
  ) {}

  /** In micro-lamports a compute unit, for a transaction of so many. A price that is old is asked for beside. */
  of(computeUnits: number, isUrgent = false): bigint {
    const now = performance.now();
    if (now - this.askedAt > MAX_AGE_MS) void this.refresh();
    const { least } = this.options;
    const base = [this.market, least, this.level > 0 ? LEAST_RAISED : 0n].reduce(greater);
    const raised = base << BigInt(this.level);
    const price = isUrgent ? greater(raised * URGENT_FACTOR, LEAST_URGENT) : raised;
    return smaller(rounded(price), this.mostOf(computeUnits));
  }

  /** The most that `of` returns for so many compute units. */
  mostOf(computeUnits: number): bigint {
    return computeUnits === 0 ? 0n : (this.options.maxLamports * MICRO_LAMPORTS_PER_LAMPORT) / BigInt(computeUnits);
  }

  /** Asks for what others paid lately. If no node answers, the price stays. */
  async refresh(): Promise<void> {
    this.askedAt = performance.now();
    if (this.askedAt - this.raisedAt > LOWER_AFTER_MS && this.level > 0) {
      this.level--;
      this.raisedAt = this.askedAt;
    }
    const lockedWritableAccounts = this.options.feePayers.map((address) => new PublicKey(address));
    const paid = await this.rpc
      .read('no priority fees', (connection) => connection.getRecentPrioritizationFees({ lockedWritableAccounts }))
      .catch(() => undefined);
    if (paid) this.market = percentile(paid.map(({ prioritizationFee }) => prioritizationFee));
  }

  /** A transaction has expired: the next ones pay twice as much. Those that expire together count once. */
  raise(): void {
    const now = performance.now();
    if (now - this.raisedAt < MAX_AGE_MS) return;
    this.raisedAt = now;
    this.level = Math.min(this.level + 1, MAX_LEVEL);
  }
}

function percentile(fees: number[]): bigint {
  const sorted = fees.filter(Number.isSafeInteger).sort((one, other) => one - other);
  return BigInt(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * ENOUGH_IN))] ?? 0);
}

/** Rounded up to two digits. */
function rounded(price: bigint): bigint {
  const unit = 10n ** BigInt(Math.max(0, price.toString().length - DIGITS));
  return ((price + unit - 1n) / unit) * unit;
}

const greater = (one: bigint, other: bigint): bigint => (one > other ? one : other);
const smaller = (one: bigint, other: bigint): bigint => (one < other ? one : other);
