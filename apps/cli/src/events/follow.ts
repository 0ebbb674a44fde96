/** Events as they happen. */
import { setTimeout as pause } from 'node:timers/promises';
import { APIConnectionError, RateLimitError, ServiceUnavailableError, type AgentPayments, type Schemas } from '#client';
import { first } from '../context';

type Event = Schemas['Event'];

const POLL_MS = 1_000;
/** Events are visible in the order of their commits, not of their times: each poll looks this far back. */
const OVERLAP_MS = 60_000;
/** Most events of one poll. */
const MAX_EVENTS = 10_000;
const PAGE_SIZE = 100;
/** How long an outage may last before listening ends, in milliseconds. */
const MAX_OUTAGE_MS = 10 * 60_000;

export interface FollowOptions {
  account: string | undefined;
  signal: AbortSignal;
  /** The pause between two polls, in milliseconds. Default: a second. */
  pollMs?: number;
  /** Called when later events will be seen. */
  onStart: () => void;
  /** Called once an outage. */
  onOutage: (message: string) => void;
}

/** Yields each later event once, oldest first, until the signal is aborted. @throws what a poll throws, for an outage after ten minutes */
export async function* follow(
  events: AgentPayments['events'],
  { account, signal, onStart, onOutage, pollMs = POLL_MS }: FollowOptions,
): AsyncGenerator<Event> {
  const filter = account === undefined ? {} : { account_id: account };
  const [newest] = (await events.list({ ...filter, limit: 1 })).data;
  const seen = new Map<string, string>();
  let since = newest && before(newest);
  const poll = async (): Promise<Event[]> => {
    const found = await first(events.list({ ...filter, limit: PAGE_SIZE, ...(since !== undefined && { since }) }), MAX_EVENTS);
    const fresh = found.filter(({ id }) => !seen.has(id)).reverse();
    for (const { id, created_at } of fresh) seen.set(id, created_at);
    const last = found[0];
    if (last) since = before(last);
    for (const [id, at] of seen) if (since !== undefined && at < since) seen.delete(id);
    return fresh;
  };
  await poll();
  onStart();
  for (let outageAt: number | undefined; !signal.aborted; ) {
    await pause(pollMs, undefined, { signal }).catch(() => undefined);
    try {
      const fresh = signal.aborted ? [] : await poll();
      outageAt = undefined;
      yield* fresh;
    } catch (error) {
      if (signal.aborted) return;
      if (!isOutage(error) || Date.now() - (outageAt ?? Date.now()) > MAX_OUTAGE_MS) throw error;
      if (outageAt === undefined) onOutage(error.message);
      outageAt ??= Date.now();
    }
  }
}

/** The moment from which the next poll reads. */
function before({ created_at }: Event): string {
  return new Date(Date.parse(created_at) - OVERLAP_MS).toISOString();
}

function isOutage(error: unknown): error is Error {
  return [APIConnectionError, ServiceUnavailableError, RateLimitError].some((kind) => error instanceof kind);
}
