/** The tables whose old rows are archived, in the order in which a restore writes them, and how their rows refer to each other. */
import { raw, type Sql, sql } from '#database';

export interface ArchivedTable {
  name: string;
  /** The column that identifies a row. */
  key: string;
  /** The rows that end before a moment, as a condition on the row `old`. Null: the rows that belong to a row of another table. */
  endedBefore: ((end: Date) => Sql) | null;
}

/** Rows of two tables that are archived together, or not at all: `column` of `from` names a row of `to`. */
export interface Link {
  from: string;
  column: string;
  to: string;
}

export const TABLES: readonly ArchivedTable[] = [
  {
    name: 'sessions',
    key: 'id',
    endedBefore: (end) => sql`(old.state = 'settled' AND old.closed_at < ${end} OR old.state = 'ordered' AND old.created_at < ${end})`,
  },
  { name: 'orders', key: 'id', endedBefore: (end) => sql`old.final_at < ${end}` },
  { name: 'order_attempts', key: 'signature', endedBefore: null },
  {
    name: 'purses',
    key: 'id',
    endedBefore: (end) => sql`(old.status = 'closed' AND old.closed_at < ${end} AND (old.kind <> 'channel' OR old.gone_at < ${end})
      OR old.status = 'ordered' AND old.created_at < ${end})`,
  },
  { name: 'payments', key: 'id', endedBefore: (end) => sql`old.final_at < ${end}` },
  { name: 'channels', key: 'address', endedBefore: (end) => sql`old.status = 'closed' AND old.closed_at < ${end}` },
  // Whole months, whatever their orders do, so that the sums of a month are those of one file.
  { name: 'ledger_entries', key: 'id', endedBefore: (end) => sql`old.created_at < ${end}` },
  // The beginning of each operator's chain. Its newest entry stays, because the next one continues it.
  {
    name: 'audit_log',
    key: 'id',
    endedBefore: (end) => sql`old.id IN (
      SELECT id FROM (
        SELECT id, position, coalesce(min(position) FILTER (WHERE at >= ${end}) OVER chain, max(position) OVER chain) AS first_that_stays
        FROM audit_log WINDOW chain AS (PARTITION BY operator_id)) AS entry
      WHERE position < first_that_stays)`,
  },
];

export const LINKS: readonly Link[] = [
  { from: 'orders', column: 'session_id', to: 'sessions' },
  { from: 'orders', column: 'nonce_of', to: 'orders' },
  { from: 'purses', column: 'id', to: 'orders' },
  { from: 'purses', column: 'payment_id', to: 'payments' },
  { from: 'payments', column: 'session_id', to: 'sessions' },
  { from: 'payments', column: 'purse_id', to: 'purses' },
  { from: 'payments', column: 'order_id', to: 'orders' },
  { from: 'channels', column: 'purse_id', to: 'purses' },
  { from: 'channels', column: 'payment_id', to: 'payments' },
  { from: 'channels', column: 'paying_payment_id', to: 'payments' },
];

/** The rows that stay because a record of a later month names them. */
export const NAMED_LATER: readonly { table: string; column: string }[] = [
  { table: 'orders', column: 'order_id' },
  { table: 'payments', column: 'payment_id' },
];

export function tableOf(name: string): ArchivedTable {
  const table = TABLES.find((each) => each.name === name);
  if (!table) throw new Error(`${name} is not archived`);
  return table;
}

/** The temporary table with the keys of the rows of a table that are archived. */
export function pickedOf(name: string): Sql {
  return raw(`picked_${name}`);
}
