import type { PoolClient } from 'pg';
import type { DataSource } from 'typeorm';
import { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { sqlstateOf } from '../faults';
import { observed } from './observed';
import { type Statement, StatementGroup } from './statement-group';

/** SQLSTATE class of an operator's intervention: the server is ending the connection. */
const IS_ENDING = /^57P/;
/** PostgreSQL's `feature_not_supported`: what a prepared statement answers after a migration changed its columns. */
const PLAN_IS_OUTDATED = '0A000';

/**
 * Runs one statement, prepared: PostgreSQL parses and plans it once a connection instead of at each call, which is most of
 * its work for a statement that touches a few rows. For the paths that every transfer takes.
 */
export async function runPrepared(database: DataSource, text: string, values: unknown[]): Promise<Record<string, unknown>[]> {
  const [rows] = await runGroup(database, [{ text, values }]);
  return rows ?? [];
}

/** Runs prepared statements in one transaction and one message. Returns the rows of each. @throws the error by which none took effect. */
export function runGroup(database: DataSource, statements: readonly Statement[]): Promise<Record<string, unknown>[][]> {
  const text = statements.map((statement) => statement.text).join(';');
  return onConnection(database, (client) =>
    observed(text, () => submit(client, statements)).catch((error: unknown) => {
      if (sqlstateOf(error) !== PLAN_IS_OUTDATED) throw error;
      return observed(text, () => submit(client, statements)); // Prepared again.
    }),
  );
}

function submit(client: PoolClient, statements: readonly Statement[]): Promise<Record<string, unknown>[][]> {
  return new Promise((resolve, reject) => {
    client.query(new StatementGroup(statements, (error, rows) => (error ? reject(error) : resolve(rows ?? []))));
  });
}

async function onConnection<T>(database: DataSource, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const { driver } = database;
  if (!(driver instanceof PostgresDriver)) throw new Error('prepared statements need PostgreSQL');
  const [client, release] = (await driver.obtainMasterConnection()) as [PoolClient, (error?: unknown) => void];
  let broken: unknown;
  try {
    return await work(client);
  } catch (error) {
    if (isLost(error)) broken = error;
    throw error;
  } finally {
    release(broken);
  }
}

/** Whether the connection broke with its statement, and the pool has to drop it. */
function isLost(error: unknown): boolean {
  const state = sqlstateOf(error);
  return state === undefined || IS_ENDING.test(state);
}
