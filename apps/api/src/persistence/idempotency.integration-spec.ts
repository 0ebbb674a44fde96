import { DataSource } from 'typeorm';
import { execute, type Row, sql } from '#database';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/database';
import { IdempotencyKeys } from './idempotency';

let testDatabase: TestDatabase;
let database: DataSource;
let keys: IdempotencyKeys;

beforeEach(async () => {
  testDatabase = await createTestDatabase();
  database = await new DataSource({ type: 'postgres', url: testDatabase.url }).initialize();
  await database.query('CREATE TABLE works (id text PRIMARY KEY, owner text NOT NULL, key text, is_over boolean, UNIQUE (owner, key))');
  keys = new IdempotencyKeys(database, { table: 'works', column: 'key', scope: ['owner'], isFree: () => sql`is_over` });
});
afterEach(async () => {
  await database.destroy();
  await testDatabase.drop();
});

function create(id: string, key: string, owner = 'op'): Promise<{ row: Row; isNew: boolean }> {
  return keys.insertOnce([owner], key, async () => {
    const [row] = await execute(
      database,
      sql`INSERT INTO works VALUES (${id}, ${owner}, ${key}) ON CONFLICT (owner, key) DO NOTHING RETURNING *`,
    );
    return row;
  });
}

test('the second insert with a key returns the first row', async () => {
  expect(await create('1', 'k')).toMatchObject({ isNew: true, row: { id: '1' } });
  expect(await create('2', 'k')).toMatchObject({ isNew: false, row: { id: '1' } });
});

test('a hundred concurrent inserts with one key insert one row, and all return it', async () => {
  const results = await Promise.all(Array.from({ length: 100 }, (_, index) => create(String(index), 'k')));
  expect(results.filter(({ isNew }) => isNew)).toHaveLength(1);
  expect(new Set(results.map(({ row }) => row.id)).size).toBe(1);
});

test('keys of different scopes do not collide', async () => {
  await create('1', 'k');
  expect(await create('2', 'k', 'other')).toMatchObject({ isNew: true });
});

test('a key that is free inserts a new row, and the old row keeps everything but the key', async () => {
  await create('1', 'k');
  await database.query('UPDATE works SET is_over = true');
  expect(await keys.holder(['op'], 'k')).toBeUndefined();
  expect(await create('2', 'k')).toMatchObject({ isNew: true, row: { id: '2' } });
  expect(await database.query(`SELECT id, key FROM works ORDER BY id`)).toEqual([
    { id: '1', key: null },
    { id: '2', key: 'k' },
  ]);
});

test('a key that holds SQL is a value', async () => {
  const key = `'); DROP TABLE works; --`;
  await create('1', key);
  expect(await create('2', key)).toMatchObject({ isNew: false, row: { id: '1', key } });
});
