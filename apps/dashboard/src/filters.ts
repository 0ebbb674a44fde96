/** The filters of a list. Their values are the query of its URL. */

/** A filter: `name` is its parameter in the URL. A `time` is a span before now such as `7d`, or a date or date and time of the viewer's calendar. */
export type Filter =
  | { kind: 'choice'; name: string; label: string; options: [string, string][] }
  | { kind: 'account'; name: string; label: string }
  | { kind: 'text'; name: string; label: string; placeholder?: string; isAmount?: boolean }
  | { kind: 'time'; name: string; label: string };

/** The filters of the times from which and until which rows were created. */
export const TIMES: Filter[] = [
  { kind: 'time', name: 'since', label: 'From' },
  { kind: 'time', name: 'until', label: 'To' },
];

export const ACCOUNT: Filter = { kind: 'account', name: 'account_id', label: 'Account' };

/** The spans that a time may be before now, with their titles. */
export const SPANS: [string, string][] = [
  ['1h', 'An hour ago'],
  ['24h', '24 hours ago'],
  ['7d', '7 days ago'],
  ['30d', '30 days ago'],
];

const FIRST_YEAR = 2000;
const MINUTE_MS = 60_000;
const UNITS_MS: Record<string, number> = { h: 60 * MINUTE_MS, d: 24 * 60 * MINUTE_MS };

type Query = Record<string, string>;

/** The values of these filters in a query. */
export function filtersIn(filters: Filter[], query: Query): Query {
  return Object.fromEntries(filters.flatMap(({ name }) => (query[name] ? [[name, query[name]]] : [])));
}

/** The query of the API: a time becomes a moment. An invalid value is left out. */
export function asApiQuery(filters: Filter[], query: Query, now = new Date()): Query {
  return Object.fromEntries(
    filters.flatMap((filter) => {
      const value = query[filter.name];
      if (!value) return [];
      if (filter.kind !== 'time') return [[filter.name, value]];
      const moment = momentOf(value, filter.name === 'since', now);
      return moment === undefined ? [] : [[filter.name, moment]];
    }),
  );
}

/**
 * The moment of a time. The API's `since` is exclusive, so it is the last millisecond before its day or minute; `until` is the last one of
 * them. A span ends at a whole minute, so that a list has the same path for a while.
 */
function momentOf(value: string, isSince: boolean, now: Date): string | undefined {
  const [, count, unit = ''] = /^(\d{1,4})([hd])$/.exec(value) ?? [];
  if (count !== undefined)
    return new Date(Math.floor(now.getTime() / MINUTE_MS) * MINUTE_MS - Number(count) * (UNITS_MS[unit] ?? 0)).toISOString();
  const [, year, month, day, hour, minute] = /^(\d{4})-(\d{2})-(\d{2})(?:T(\d{2}):(\d{2}))?$/.exec(value) ?? [];
  // While a year is typed, its first digits are a year, too.
  if (year === undefined || Number(year) < FIRST_YEAR) return undefined;
  const [days, minutes] = isSince ? [0, 0] : hour === undefined ? [1, 0] : [0, 1];
  const end = new Date(Number(year), Number(month) - 1, Number(day) + days, Number(hour ?? 0), Number(minute ?? 0) + minutes);
  return new Date(end.getTime() - 1).toISOString();
}

/** The value of a filter in words. */
export function valueInWords(filter: Filter, value: string, nameOf: (accountId: string) => string): string {
  if (filter.kind === 'account') return nameOf(value);
  if (filter.kind === 'choice') return filter.options.find(([option]) => option === value)?.[1] ?? value;
  if (filter.kind === 'time') return SPANS.find(([span]) => span === value)?.[1].toLowerCase() ?? value.replace('T', ' ');
  return value;
}
