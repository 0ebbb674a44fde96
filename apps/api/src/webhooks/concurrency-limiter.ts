import type { AttemptResult } from './delivery-queue';

/** How many deliveries to one webhook are under way at once: few to begin with, more as long as it answers swiftly, hardly any when it hangs. */
const FIRST_WIDTH = 8;
const MAX_WIDTH = 64;
const HANGING_WIDTH = 2;
const SWIFT_MS = 1_000;
/** What is remembered of webhooks that nothing is sent to. */
const MAX_REMEMBERED = 1_000;

interface Lane {
  width: number;
  underWay: number;
}

/** A lane for each webhook, so that a receiver that hangs holds up its own deliveries and nobody else's. */
export class ConcurrencyLimiter {
  static readonly firstWidth = FIRST_WIDTH;
  private readonly lanes = new Map<string, Lane>();
  underWay = 0;

  /** How many more each known webhook takes; an unknown one takes `firstWidth`. */
  room(): Record<string, number> {
    return Object.fromEntries([...this.lanes].map(([id, { width, underWay }]) => [id, Math.max(0, width - underWay)]));
  }

  enter(webhookId: string): void {
    const lane = this.lanes.get(webhookId) ?? { width: FIRST_WIDTH, underWay: 0 };
    lane.underWay++;
    this.underWay++;
    this.lanes.set(webhookId, lane);
  }

  /** @param result What came of it; undefined when nothing was sent. */
  leave(webhookId: string, result: Pick<AttemptResult, 'duration_ms' | 'status_code'> | undefined): void {
    const lane = this.lanes.get(webhookId);
    if (!lane) return;
    lane.underWay--;
    this.underWay--;
    if (result) lane.width = nextWidth(lane.width, result);
    if (lane.underWay === 0 && this.lanes.size > MAX_REMEMBERED) this.lanes.delete(webhookId);
  }
}

function nextWidth(width: number, { duration_ms, status_code }: Pick<AttemptResult, 'duration_ms' | 'status_code'>): number {
  if (duration_ms < SWIFT_MS) return Math.min(MAX_WIDTH, width * 2);
  return status_code === null ? HANGING_WIDTH : Math.max(FIRST_WIDTH, width);
}
