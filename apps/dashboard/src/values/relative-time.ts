/** Times near now in words. */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** "12 min ago", "in 3 h", "just now"; undefined for a moment on another day that is more than an hour away, which has a date. */
export function relativeTime(moment: Date, now: Date): string | undefined {
  const away = moment.getTime() - now.getTime();
  const size = Math.abs(away);
  if (size < MINUTE_MS) return away > 0 ? 'in a minute' : 'just now';
  const isFar = away > 0 ? size >= DAY_MS : size >= HOUR_MS && moment.toDateString() !== now.toDateString();
  if (isFar) return undefined;
  const amount = size < HOUR_MS ? `${Math.floor(size / MINUTE_MS)} min` : `${Math.floor(size / HOUR_MS)} h`;
  return away > 0 ? `in ${amount}` : `${amount} ago`;
}
