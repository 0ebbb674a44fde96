/** Tables from which the sums of a span of time are read: months, days and hours from the tables of sums, the rest of an hour from the entries. */
import { empty, firstIdAt, type Sql, sql, words } from '#database';
import { afterIdTolerance, monthOf } from './ledger-times';

/** The groups of usage. */
export const USAGE_GROUP_NAMES = ['account', 'provider', 'category', 'day', 'rejection_reason'] as const;
export type UsageGroup = (typeof USAGE_GROUP_NAMES)[number];

/** The entries of an operator, or of some accounts of it, later than `since` and up to `until`. */
export interface UsageScope {
  operatorId: string;
  accountIds: readonly string[] | null;
  since: Date | null;
  until: Date | null;
}

/** The span of a row of the sums, from the shortest to the longest. */
const SPANS = ['hour', 'day', 'month'] as const;
type Span = (typeof SPANS)[number];

/** A stretch of time whose entries are read from one place. Null: without an end. */
export interface Stretch {
  source: 'entries' | Span;
  from: Date | null;
  to: Date | null;
}

/** The columns that every source has, one row a note or a sum. */
const ENTRY_COLUMNS = sql`account_id, created_at AS at, type, provider, category, rejection_reason, micro_usdc::numeric AS micro_usdc,
    1::bigint AS entries`;
const NOTE_COLUMNS = sql`account_id, created_at AS at, type, provider, category, rejection_reason, micro_usdc, entries`;
const SUM_COLUMNS = sql`account_id, starts_at AS at, type, provider, category, rejection_reason, micro_usdc, entries`;
const ACCOUNT_COLUMNS = sql`account_id, starts_at AS at, NULL::text AS provider, NULL::text AS category, NULL::text AS rejection_reason`;

/**
 * The time of a scope, cut where months, days and hours begin: each part is read from the longest spans that it is made of, up to `longest`.
 * Before `archivedEnd` there are no entries, and both moments must begin an hour.
 */
export function stretchesOf(
  { since, until }: Pick<UsageScope, 'since' | 'until'>,
  longest: Span = 'month',
  archivedEnd: Date | null = null,
): Stretch[] {
  const cutAt = (moment: Date): Date => (isBefore(moment, archivedEnd) ? moment : afterMillisecond(moment));
  return cut({ from: since && cutAt(since), to: until && cutAt(until) }, SPANS.indexOf(longest));
}

/** Whether what lies next to a moment of a scope can only be read from entries, and these are archived. */
export function isCutInArchive(moment: Date | null, archivedEnd: Date | null): boolean {
  return moment !== null && isBefore(moment, archivedEnd) && moment.getTime() !== beginning('hour', moment, 0).getTime();
}

function isBefore(moment: Date, end: Date | null): boolean {
  return end !== null && moment < end;
}

function cut({ from, to }: Omit<Stretch, 'source'>, level: number): Stretch[] {
  if (from && to && from >= to) return [];
  const span = SPANS[level];
  if (!span) return [{ source: 'entries', from, to }];
  const [first, last] = [from && beginning(span, new Date(from.getTime() - 1), 1), to && beginning(span, to, 0)];
  if (first && last && first >= last) return cut({ from, to }, level - 1);
  return [
    ...(first ? cut({ from, to: first }, level - 1) : []),
    { source: span, from: first, to: last },
    ...(last ? cut({ from: last, to }, level - 1) : []),
  ];
}

/** A moment is exclusive as `since` and inclusive as `until`: both cut after it. The service's times are whole milliseconds. */
function afterMillisecond(moment: Date): Date {
  return new Date(moment.getTime() + 1);
}

/** The beginning of the span that a moment is in, or of one some spans later. */
function beginning(span: Span, moment: Date, later: number): Date {
  const [year, month, day, hour] = [moment.getUTCFullYear(), moment.getUTCMonth(), moment.getUTCDate(), moment.getUTCHours()];
  if (span === 'month') return monthOf(moment, later);
  if (span === 'day') return new Date(Date.UTC(year, month, day + later));
  return new Date(Date.UTC(year, month, day, hour + later));
}

/** The queries that read a stretch, as rows of one form. */
export function sourcesOf(scope: UsageScope, groupBy: UsageGroup, { source, from, to }: Stretch): Sql[] {
  const { operatorId, accountIds } = scope;
  const ofAccount = accountIds === null ? empty : sql`AND account_id = ANY(${accountIds})`;
  const within = (column: Sql): Sql => inSpan(column, { from, to });
  if (source === 'entries') {
    const firstId = from && firstIdAt('txn', from);
    const endId = to && firstIdAt('txn', afterIdTolerance(to));
    const ids = sql`${firstId ? sql`AND id >= ${firstId}` : empty} ${endId ? sql`AND id < ${endId}` : empty}`;
    return [
      sql`SELECT ${ENTRY_COLUMNS} FROM ledger_entries
          WHERE operator_id = ${operatorId} AND direction = 'out' ${ofAccount} ${ids} ${within(sql`created_at`)}`,
    ];
  }
  const span = sql`span = ${words([source])}`;
  const unsummed = sql`SELECT ${NOTE_COLUMNS} FROM unsummed_ledger_entries
      WHERE operator_id = ${operatorId} AND direction = 'out' ${ofAccount} ${within(sql`created_at`)}`;
  if (accountIds !== null)
    return [
      sql`SELECT ${SUM_COLUMNS} FROM ledger_sums WHERE operator_id = ${operatorId} ${ofAccount} AND ${span} ${within(sql`starts_at`)}`,
      unsummed,
    ];
  if (groupBy !== 'account')
    return [
      sql`SELECT ${SUM_COLUMNS} FROM ledger_sums WHERE operator_id = ${operatorId} AND account_id IS NULL
          AND ${span} ${within(sql`starts_at`)}`,
      unsummed,
    ];
  const accountSums = sql`FROM ledger_account_sums WHERE operator_id = ${operatorId} AND ${span} ${within(sql`starts_at`)}`;
  return [
    sql`SELECT account_id, at, type, provider, category, rejection_reason, micro_usdc, entries FROM (
          SELECT ${ACCOUNT_COLUMNS}, sent_micro_usdc, sent_entries, declined_micro_usdc, declined_entries ${accountSums}) AS account
        CROSS JOIN LATERAL (VALUES ('transfer', sent_micro_usdc, sent_entries), ('rejection', declined_micro_usdc, declined_entries))
          AS side (type, micro_usdc, entries)`,
    unsummed,
  ];
}

/** The condition that a column of time is within a span: its beginning included, its end excluded, null without one. */
export function inSpan(column: Sql, { from, to }: { from: Date | null; to: Date | null }): Sql {
  return sql`${from ? sql`AND ${column} >= ${from}` : empty} ${to ? sql`AND ${column} < ${to}` : empty}`;
}
