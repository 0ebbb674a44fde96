import { DataSource } from 'typeorm';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/database';
import { execute, sql, words } from './sql';

let testDatabase: TestDatabase;
let database: DataSource;
beforeEach(async () => {
  testDatabase = await createTestDatabase();
  database = await new DataSource({ type: 'postgres', url: testDatabase.url, extra: { max: 8 } }).initialize();
  await database.query(`CREATE TABLE counters (id text PRIMARY KEY, count int NOT NULL DEFAULT 0)`);
  await database.query(`INSERT INTO counters VALUES ('a'), ('b')`);
});
afterEach(async () => {
  await database.destroy();
  await testDatabase.drop();
});

test('execute runs a statement again that PostgreSQL ended for a deadlock', async () => {
  // Each statement locks one row, pauses, then wants the other one.
  const both = (first: string, second: string) =>
    execute(
      database,
      sql`WITH one AS (UPDATE counters SET count = count + 1 WHERE id = ${first} RETURNING pg_sleep(0.3)), paused AS (SELECT count(*) AS rows FROM one)
          UPDATE counters SET count = count + 1 FROM paused WHERE id = ${second} AND rows = 1 RETURNING id`,
    );
  await Promise.all([both('a', 'b'), both('b', 'a')]);
  expect(await database.query('SELECT id, count FROM counters ORDER BY id')).toEqual([
    { id: 'a', count: 2 },
    { id: 'b', count: 2 },
  ]);
});

test('words refuses anything but lower-case words', () => {
  expect(() => words(["x'; DROP TABLE counters; --"])).toThrow('is no word');
});
