/** The look of tables: relative times, and colours on a terminal. */
import { styleText } from 'node:util';

type Colour = 'green' | 'yellow' | 'red';

const COLOURS: Record<string, Colour> = {
  active: 'green',
  settled: 'green',
  paid: 'green',
  open: 'green',
  finished: 'green',
  delivered: 'green',
  signed: 'green',
  pending_approval: 'yellow',
  pending: 'yellow',
  submitted: 'yellow',
  opening: 'yellow',
  closing: 'yellow',
  running: 'yellow',
  unknown: 'yellow',
  rejected: 'red',
  failed: 'red',
  undelivered: 'red',
  paused: 'red',
  expired: 'red',
};

/** Whether stdout is a terminal that shows colours. https://no-color.org */
export function hasColours(): boolean {
  const { NO_COLOR, TERM } = process.env;
  return process.stdout.isTTY === true && !NO_COLOR && TERM !== 'dumb';
}

/** A status in the colour of its kind. */
export function coloured(status: string): string {
  const colour = COLOURS[status];
  return colour === undefined ? status : styleText(colour, status, { validateStream: false });
}

/** The head of a table. */
export function bold(text: string): string {
  return styleText('bold', text, { validateStream: false });
}

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;
/** Times farther away are dates. */
const MAX_RELATIVE_MS = 30 * 86_400_000;
const WORDS = new Intl.RelativeTimeFormat('en', { style: 'short' });

/** A time as "12 min. ago", "in 3 hr.", or a date if it is more than a month away. */
export function relativeTime(moment: Date, now: Date): string {
  const away = moment.getTime() - now.getTime();
  if (Math.abs(away) > MAX_RELATIVE_MS) return moment.toISOString().slice(0, 10);
  const [unit, ms] = UNITS.find(([, each]) => Math.abs(away) >= each) ?? [];
  if (unit === undefined) return away > 0 ? 'in a moment' : 'just now';
  return WORDS.format(Math.trunc(away / ms), unit);
}
