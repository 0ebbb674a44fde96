/** SQL with its parameters as one value: text that callers cannot inject into, and that is composed without counting placeholders. */
import sql, { empty, join, raw, type Sql } from 'sql-template-tag';
import type { DataSource } from 'typeorm';
import { sqlstateOf } from '../faults';
import { runPrepared } from './statements';

export { empty, join, raw, sql, type Sql };

export type Row = Record<string, unknown>;

/** The text of a statement and its parameters. */
export type Prepared = Pick<Sql, 'text' | 'values'>;

/** SQLSTATE of a statement that PostgreSQL ended because it and others waited for each other's locks. */
const DEADLOCK_DETECTED = '40P01';
const MAX_DEADLOCKS = 3;

/**
 * Runs a statement by itself, prepared: see `runPrepared`. A statement that PostgreSQL ended for a deadlock has changed nothing, and is
 * run again.
 */
export async function execute(database: DataSource, statement: Prepared): Promise<Row[]> {
  const { text, values } = statement;
  for (let deadlocks = 0; ; deadlocks++) {
    try {
      return await runPrepared(database, text, values);
    } catch (error) {
      if (deadlocks === MAX_DEADLOCKS || sqlstateOf(error) !== DEADLOCK_DETECTED) throw error;
    }
  }
}

/**
 * Words such as the states of an entity as SQL literals: `'created', 'submitted'`. Literals instead of parameters let the planner
 * use partial indexes on those states. @throws Error for anything but lower-case words: values of callers are parameters.
 */
export function words(values: readonly string[]): Sql {
  for (const value of values) if (!/^[a-z_]+$/.test(value)) throw new Error(`${value} is no word for SQL text`);
  return raw(values.map((value) => `'${value}'`).join(', '));
}
