import { monthOf } from '../ledger';

/** A month of UTC that has begun. `to`: its end, or now in the running month. */
export interface Month {
  from: Date;
  to: Date;
  isRunning: boolean;
  /** Nothing that belongs to it is still written or reversed. */
  isComplete: boolean;
}

/** The name of a month, such as `2026-11`. The calendar has no year 0. */
export const MONTH_NAME = /^(?!0000)(\d{4})-(0[1-9]|1[0-2])$/;
/** How long after its end a month may change: orders that landed in it are stored, and looked at again at `finalized`. */
const SETTLING_MS = 15 * 60_000;

/** The month of a text such as `2026-11`; null for one that has not begun, and undefined for another text. */
export function parseMonth(text: string, now: Date): Month | null | undefined {
  const [, year, month] = MONTH_NAME.exec(text) ?? [];
  if (year === undefined || month === undefined) return undefined;
  const from = new Date(0);
  from.setUTCFullYear(Number(year), Number(month) - 1, 1);
  if (from > now) return null;
  const end = monthOf(from, 1);
  const isRunning = now < end;
  return { from, to: isRunning ? now : end, isRunning, isComplete: now.getTime() >= end.getTime() + SETTLING_MS };
}

/** The name of the month that a moment is in, such as `2026-11`. */
export function nameOf(moment: Date): string {
  return moment.toISOString().slice(0, 7);
}
