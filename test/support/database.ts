import { randomBytes } from 'node:crypto';
import { Client } from 'pg';

export interface TestDatabase {
  url: string;
  drop(): Promise<void>;
}

/** The database of the integration tier that has all migrations and no rows. */
export const MIGRATED = 'migrated';

/** A new, empty database on the PostgreSQL of the integration tier. */
export function createTestDatabase(): Promise<TestDatabase> {
  return createDatabase('template1');
}

/** A new database with all migrations and no rows: a copy, because the migrations take longer than most test files. */
export function createMigratedDatabase(): Promise<TestDatabase> {
  return createDatabase(MIGRATED);
}

async function createDatabase(template: string): Promise<TestDatabase> {
  const server = process.env.TEST_DATABASE_URL;
  if (!server) throw new Error('The integration tier starts the PostgreSQL that this test needs: npm run test:integration.');
  const name = `test_${randomBytes(8).toString('hex')}`;
  await onServer(server, `CREATE DATABASE ${name} TEMPLATE ${template}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => onServer(server, `DROP DATABASE ${name} WITH (FORCE)`) };
}

async function onServer(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
