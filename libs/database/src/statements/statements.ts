import { createHash } from 'node:crypto';
import type { PoolClient } from 'pg';
import type { DataSource } from 'typeorm';
import { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { observed } from './observed';
import { type Statement, StatementGroup } from './statement-group';

/** SQLSTATE class of an operator's intervention: the server is ending the connection. */
const IS_ENDING = /^57P/;
/** PostgreSQL's `feature_not_supported`: what a prepared statement answers after a migration changed its columns. */
const PLAN_IS_OUTDATED = '0A000';

const names = new Map<string, string>();

/**
 * Runs one statement, prepared: PostgreSQL parses and plans it once a connection instead of at each call, which is most of
 * its work for a statement that touches a few rows. For the paths that every transfer takes.
 */
export function runPrepared(database: DataSource, text: string, values: unknown[]): Promise<Record<string, unknown>[]> {
  return onConnection(database, (client) => query(client, { name: nameOf(text), text, values }));
}

/** Runs prepared statements in one transaction and one message. Returns the rows of each. @throws the error by which none took effect. */
export function runGroup(database: DataSource, statements: readonly Statement[]): Promise<Record<string, unknown>[][]> {
  return onConnection(database, (client) =>
    observed(
      statements.map(({ text }) => text).join(';'),
      () =>
        new Promise<Record<string, unknown>[][]>((resolve, reject) => {
          client.query(new StatementGroup(statements, (error, rows) => (error ? reject(error) : resolve(rows ?? []))));
        }),
    ),
  );
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
  return (
    !(error instanceof Error && 'code' in error && typeof error.code === 'string' && /^[0-9A-Z]{5}$/.test(error.code)) ||
    IS_ENDING.test(error.code)
  );
}

async function query(client: PoolClient, statement: { name: string; text: string; values: unknown[] }): Promise<Record<string, unknown>[]> {
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === PLAN_IS_OUTDATED)) throw error;
    const { text, values } = statement;
    return (await client.query<Record<string, unknown>>({ text, values })).rows;
  }
}

/** The same text has the same name on every connection. */
function nameOf(text: string): string {
  const known = names.get(text);
  if (known) return known;
  const name = createHash('sha256').update(text).digest('hex').slice(0, 32);
  names.set(text, name);
  return name;
}
