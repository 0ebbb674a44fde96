/** SQL with its parameters as one value: text that callers cannot inject into, and that is composed without counting placeholders. */
import sql, { empty, join, raw, type Sql } from 'sql-template-tag';
import type { DataSource } from 'typeorm';
import { runPrepared } from './statements';

export { empty, join, raw, sql, type Sql };

export type Row = Record<string, unknown>;

/** Runs a statement, prepared: see `runPrepared`. */
export function execute(database: DataSource, statement: Sql): Promise<Row[]> {
  return runPrepared(database, statement.text, statement.values);
}

/**
 * Words such as the states of an entity as SQL literals: `'created', 'submitted'`. Literals instead of parameters let the planner
 * use partial indexes on those states. @throws Error for anything but lower-case words: values of callers are parameters.
 */
export function words(values: readonly string[]): Sql {
  for (const value of values) if (!/^[a-z_]+$/.test(value)) throw new Error(`${value} is no word for SQL text`);
  return raw(values.map((value) => `'${value}'`).join(', '));
}
