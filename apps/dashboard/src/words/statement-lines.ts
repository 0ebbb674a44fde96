/** The lines of a statement, and its months. */
import { formatMicro, toMicro } from '../values/money';
import type { HistoryEntry } from '../data/types';

/** A record with the balance after it. */
export interface StatementLine {
  entry: HistoryEntry;
  balance: string;
  sign: '' | '−';
}

/** The records with the balance after each, from the opening balance on. */
export function linesOf(records: readonly HistoryEntry[], opening: string): StatementLine[] {
  let balance = toMicro(opening);
  return records.map((entry) => {
    balance += entry.direction === 'in' ? toMicro(entry.amount_usdc) : -toMicro(entry.amount_usdc);
    return { entry, balance: formatMicro(balance < 0n ? -balance : balance), sign: balance < 0n ? '−' : '' };
  });
}

/** The month of UTC that a moment is in, such as `2026-11`. */
export function monthOf(moment: Date): string {
  return moment.toISOString().slice(0, 7);
}

/** The month so many months later, or earlier if negative. */
export function monthAfter(month: string, count: number): string {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return monthOf(new Date(Date.UTC(year, number - 1 + count)));
}

/** `2026-11` as `November 2026`, in the viewer's language. */
export function monthInWords(month: string): string {
  return new Intl.DateTimeFormat(undefined, { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(new Date(`${month}-01`));
}

/** A moment in UTC to the second, as a statement has it on paper: `2026-11-25 18:03:10`. */
export function momentInUtc(moment: string): string {
  return moment.slice(0, 19).replace('T', ' ');
}
