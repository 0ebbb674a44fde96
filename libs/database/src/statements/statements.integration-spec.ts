import { Client } from 'pg';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/database';
import { EndingPostgres } from '../../../../test/support/ending-postgres';
import { eventually } from '../../../../test/support/eventually';
import { createDataSource } from '../connection/data-source';
import { runPrepared } from './statements';

let testDatabase: TestDatabase;
beforeAll(async () => void (testDatabase = await createTestDatabase()));
afterAll(() => testDatabase.drop());

test('a connection that breaks under a statement fails it, and neither the process nor the next one', async () => {
  const database = await createDataSource({ url: testDatabase.url, applicationName: 'to be cut' }).initialize();
  const other = new Client({ connectionString: testDatabase.url });
  await other.connect();
  const sleeping = runPrepared(database, 'SELECT pg_sleep(20)', []).catch((error: Error) => error.message);
  const cut = () =>
    other.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'to be cut' AND state = 'active' AND query LIKE '%pg_sleep%'`,
    );
  await eventually(async () => expect((await cut()).rowCount).toBe(1));
  await expect(sleeping).resolves.toMatch(/terminat/);
  await expect(runPrepared(database, 'SELECT 1 AS one', [])).resolves.toEqual([{ one: 1 }]);
  await Promise.all([other.end(), database.destroy()]);
});

test('a connection that PostgreSQL ends as soon as it is ready fails its statement, and not the process', async () => {
  const postgres = await EndingPostgres.start(testDatabase.url);
  const database = await createDataSource({ url: postgres.url, applicationName: 'ended at once' }).initialize();
  postgres.isEnding = true;
  const both = [1, 2].map(() => runPrepared(database, 'SELECT 1 AS one', []).catch((error: Error) => error.message));
  // PostgreSQL ends the statement that begins the session.
  expect(await Promise.all(both)).toContain('terminating connection due to administrator command');
  expect(postgres.ended).toBeGreaterThan(0);
  postgres.isEnding = false;
  await expect(runPrepared(database, 'SELECT 1 AS one', [])).resolves.toEqual([{ one: 1 }]);
  await database.destroy();
  await postgres.stop();
});

test('a statement whose table has got a column meanwhile returns the new column', async () => {
  const database = await createDataSource({ url: testDatabase.url, applicationName: 'migrated', poolSize: 1 }).initialize();
  await database.query('CREATE TABLE grown AS SELECT 1 AS one');
  const rows = () => runPrepared(database, 'SELECT * FROM grown', []);
  await expect(rows()).resolves.toEqual([{ one: 1 }]);
  await database.query('ALTER TABLE grown ADD two int DEFAULT 2');
  await expect(rows()).resolves.toEqual([{ one: 1, two: 2 }]);
  await database.destroy();
});
