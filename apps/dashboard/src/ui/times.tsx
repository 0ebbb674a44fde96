/** Times, in the viewer's time zone or in UTC: relative and short in tables, exact elsewhere. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { relativeTime } from '../values/relative-time';
import { useBrief } from './brief';

const KEPT_AS = 'times-in-utc';
const TICK_MS = 30_000;

const listeners = new Set<() => void>();
let isUtc = kept() === 'true';

/** Storage may be denied to the page: then the choice lasts as long as the page. */
function kept(): string | null {
  try {
    return localStorage.getItem(KEPT_AS);
  } catch {
    return null;
  }
}

function show(inUtc: boolean): void {
  isUtc = inUtc;
  try {
    localStorage.setItem(KEPT_AS, String(inUtc));
  } catch {
    // The choice lasts as long as the page.
  }
  for (const listener of listeners) listener();
}

setInterval(() => {
  if (!document.hidden) for (const listener of listeners) listener();
}, TICK_MS);

/** Renders again when the zone changes, and every half minute, so that relative times stay true. */
function useClock(): void {
  const [, setCount] = useState(0);
  useEffect(() => {
    const update = (): void => setCount((count) => count + 1);
    listeners.add(update);
    return () => void listeners.delete(update);
  }, []);
}

/** The formatter of a style in the zone that is shown. */
function formatter(style: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${String(isUtc)} ${JSON.stringify(style)}`;
  const known = formatters.get(key);
  if (known) return known;
  const made = new Intl.DateTimeFormat(undefined, { ...style, ...(isUtc && { timeZone: 'UTC' }) });
  formatters.set(key, made);
  return made;
}
const formatters = new Map<string, Intl.DateTimeFormat>();

const DAY: Intl.DateTimeFormatOptions = { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' };
const EXACT: Intl.DateTimeFormatOptions = { ...DAY, year: 'numeric', second: '2-digit', timeZoneName: 'short' };

/** The date and the time of a moment, with the year if it is another. */
function dated(moment: Date, now: Date): string {
  const isThisYear = moment.getFullYear() === now.getFullYear();
  return formatter(isThisYear ? DAY : { ...DAY, year: 'numeric' }).format(moment);
}

/** A time. In a table: "12 min ago", or date and time if it is a day away. Elsewhere, and in the title, exact with seconds and zone. */
export function Time({ at }: { at: string }): JSX.Element {
  useClock();
  const isBrief = useBrief();
  const [moment, now] = [new Date(at), new Date()];
  const exact = formatter(EXACT).format(moment);
  return (
    <time dateTime={at} title={exact}>
      {isBrief ? (relativeTime(moment, now) ?? dated(moment, now)) : exact}
    </time>
  );
}

/** The zone of all times of the page, with a switch to UTC and back. */
export function ZoneNote(): JSX.Element {
  useClock();
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return (
    <footer class="zone-note">
      Times are in {isUtc ? 'UTC' : zone}.{' '}
      {(isUtc || zone !== 'UTC') && (
        <button type="button" class="quiet" onClick={() => show(!isUtc)}>
          Show {isUtc ? zone : 'UTC'}
        </button>
      )}
    </footer>
  );
}
