import type { DataSource } from 'typeorm';
import { createDataSource, newId } from '#database';
import { createMigratedDatabase, type TestDatabase } from '../../../../test/support/database';
import { insertFailedOrders } from '../../../../test/support/many-orders';
import { JobsService } from './jobs.service';
import { TableStatistics } from './table-statistics';

let testDatabase: TestDatabase;
let database: DataSource;
const operator = newId('op');

beforeAll(async () => {
  testDatabase = await createMigratedDatabase();
  database = createDataSource({ url: testDatabase.url, applicationName: 'statistics test', entities: [] });
  await database.initialize();
  // Autovacuum would analyze the table during the test.
  await database.query('ALTER TABLE orders SET (autovacuum_enabled = false)');
  await insertFailedOrders(database, 2_000, operator, 'acct_1');
});
afterAll(async () => {
  await database.destroy();
  await testDatabase.drop();
});

/** The rows that PostgreSQL read and threw away to find an idempotency key. */
async function wasted(): Promise<number> {
  const rows: Record<string, string>[] = await database.query(
    `EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) SELECT id FROM orders
     WHERE operator_id = $1 AND kind = ANY ('{transfer}') AND active_idempotency_key = 'key-7'`,
    [operator],
  );
  return Number(/Removed by Filter: (\d+)/.exec(JSON.stringify(rows))?.[1] ?? 0);
}

test('an idempotency key is found by its index once the job has run, also in a table that autovacuum has not seen', async () => {
  await new TableStatistics(database, new JobsService()).analyzeUnknown();
  expect(await wasted()).toBe(0);
});

test('only tables with rows and without statistics are analyzed', async () => {
  const query = jest.spyOn(database, 'query');
  await new TableStatistics(database, new JobsService()).analyzeUnknown();
  await database.query(`INSERT INTO operators (id, name, chain_key, chain_key_sealed) VALUES ($1, 'o', $1, 's')`, [operator]);
  query.mockClear();
  await new TableStatistics(database, new JobsService()).analyzeUnknown();
  expect(query.mock.calls.map(([text]) => text).filter((text) => text.startsWith('ANALYZE'))).toEqual(['ANALYZE (SKIP_LOCKED) operators']);
});
