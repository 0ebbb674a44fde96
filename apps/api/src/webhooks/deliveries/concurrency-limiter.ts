import type { AttemptResult } from './delivery-queue';

/** The most concurrent deliveries to one webhook: at first, while it answers fast, and after it hung. */
const INITIAL_LIMIT = 8;
const MAX_LIMIT = 64;
const HANGING_LIMIT = 2;
const FAST_MS = 1_000;
/** The most webhooks without a running delivery whose limit stays in memory. */
const MAX_IDLE_WEBHOOKS = 1_000;

interface Slots {
  limit: number;
  running: number;
}

/** Limits the concurrent deliveries of each webhook, so that a receiver that hangs delays no other. */
export class ConcurrencyLimiter {
  static readonly initialLimit = INITIAL_LIMIT;
  private readonly webhooks = new Map<string, Slots>();
  /** Deliveries that are running, to all webhooks. */
  running = 0;

  /** How many more deliveries each known webhook may get now. An unknown one may get `initialLimit`. */
  available(): Record<string, number> {
    return Object.fromEntries([...this.webhooks].map(([id, { limit, running }]) => [id, Math.max(0, limit - running)]));
  }

  acquire(webhookId: string): void {
    const slots = this.webhooks.get(webhookId) ?? { limit: INITIAL_LIMIT, running: 0 };
    slots.running++;
    this.running++;
    this.webhooks.set(webhookId, slots);
  }

  /** @param result The attempt's result, by which the limit is adjusted; undefined if nothing was sent. */
  release(webhookId: string, result: Pick<AttemptResult, 'duration_ms' | 'status_code'> | undefined): void {
    const slots = this.webhooks.get(webhookId);
    if (!slots) return;
    slots.running--;
    this.running--;
    if (result) slots.limit = nextLimit(slots.limit, result);
    if (slots.running === 0 && this.webhooks.size > MAX_IDLE_WEBHOOKS) this.webhooks.delete(webhookId);
  }
}

function nextLimit(limit: number, { duration_ms, status_code }: Pick<AttemptResult, 'duration_ms' | 'status_code'>): number {
  if (duration_ms < FAST_MS) return Math.min(MAX_LIMIT, limit * 2);
  return status_code === null ? HANGING_LIMIT : Math.max(INITIAL_LIMIT, limit);
}
