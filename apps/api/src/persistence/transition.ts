import type { DataSource } from 'typeorm';
import { empty, execute, join, type Row, raw, type Sql, sql } from '#database';

/** The allowed transitions between the states of an entity. */
export interface Transition<State extends string> {
  from: readonly State[];
  to: State;
}

/** Runs a statement, as `execute` does. */
export type Run = (statement: Sql) => Promise<Row[]>;

/** The rows that are written in the same statement as a transition, and so in the same commit. */
export interface TransitionEffects {
  /** An event in the form of the SQL function `record_event`. */
  event?: object | undefined;
  /** When the event is recorded; default always. The row after the transition is `moved`. */
  eventWhen?: Sql | undefined;
  /** Ledger entries in the form of the SQL function `record_ledger_entries`. */
  entries?: object[] | undefined;
  /** The slot at which the account of the row was observed to change. */
  slot?: number | undefined;
  /** A call that records an entry of the audit log. */
  audit?: Sql | undefined;
  /** Data-modifying queries of stores of other features, or of other tables. The row after the transition is `moved`. */
  companion?: Sql | readonly Sql[] | undefined;
  /** Further columns of the result. */
  returning?: Sql | undefined;
  /** Queries before the transition, which it may name, as `name AS (query)`. */
  before?: Sql | undefined;
}

/**
 * Runs a guarded UPDATE with its effects as one statement. Locks are taken in one order everywhere: the row, its account, the
 * counter of its account's events, the audit log.
 *
 * @param run the database, or what else runs a statement.
 * @param change an `UPDATE … WHERE <guard> RETURNING *` of a table with the column `account_id`.
 * @returns the row after the transition; undefined if the guard did not hold, and then nothing was written.
 */
export async function runTransition(run: DataSource | Run, change: Sql, effects: TransitionEffects = {}): Promise<Row | undefined> {
  const { event, eventWhen, entries = [], slot, audit, companion, before, returning } = effects;
  const queries = [sql`moved AS (${change})`];
  const results = [sql`moved.*`];
  if (before) queries.unshift(before);
  for (const [index, query] of companion === undefined ? [] : listOf(companion).entries())
    queries.push(sql`${raw(`companion_${index}`)} AS (${query})`);
  if (slot !== undefined) results.push(sql`observe_slot(moved.account_id, ${slot})`);
  if (event) {
    const recorded = sql`${JSON.stringify(event)}::jsonb`;
    results.push(sql`record_event(${eventWhen ? sql`CASE WHEN ${eventWhen} THEN ${recorded} END` : recorded})`);
  }
  if (entries.length > 0) results.push(sql`record_ledger_entries(${JSON.stringify(entries)}::jsonb)`);
  if (audit) results.push(audit);
  if (returning) results.push(returning);
  const statement = sql`WITH ${join(queries)} SELECT ${join(results)} FROM moved`;
  const [row] = await (typeof run === 'function' ? run(statement) : execute(run, statement));
  return row;
}

function listOf(companion: Sql | readonly Sql[]): readonly Sql[] {
  return Array.isArray(companion) ? companion : [companion as Sql];
}

/** The assignment that enters a transition's state: `status = 'settled'`. */
export function enter<State extends string>({ to }: Transition<State>, column = 'status'): Sql {
  return word(column, [to], '=');
}

/** The guard of a transition: `status IN ('created', 'submitted')`. */
export function leave<State extends string>({ from }: Transition<State>, column = 'status'): Sql {
  return word(column, from, 'IN');
}

function word(column: string, states: readonly string[], operator: '=' | 'IN'): Sql {
  if (states.length === 0) return empty;
  const list = states.map((state) => `'${state}'`).join(', ');
  return raw(`${column} ${operator === '=' ? `= ${list}` : `IN (${list})`}`);
}
