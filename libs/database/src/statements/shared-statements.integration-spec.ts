import { DataSource } from 'typeorm';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/database';
import { SharedStatements } from './shared-statements';
import { storageFault } from '../faults';
import { sql } from './sql';

let testDatabase: TestDatabase;
let database: DataSource;
let statements: SharedStatements;

beforeEach(async () => {
  testDatabase = await createTestDatabase();
  database = await new DataSource({ type: 'postgres', url: testDatabase.url }).initialize();
  await database.query('CREATE TABLE works (id text PRIMARY KEY, amount bigint CHECK (amount > 0), at timestamptz, bytes bytea)');
  await database.query(`INSERT INTO works (id, amount) VALUES ('a', 1), ('b', 1), ('c', 1)`);
  statements = new SharedStatements(database);
});
afterEach(async () => {
  await database.destroy();
  await testDatabase.drop();
});

const add = (id: string, amount: number) =>
  statements.execute(
    sql`UPDATE works SET amount = amount + ${amount} WHERE id = ${id} RETURNING id, amount, xmin::text AS transaction`,
    id,
  );
const amounts = async (): Promise<unknown[]> =>
  (await database.query('SELECT amount FROM works ORDER BY id')).map(({ amount }: { amount: string }) => amount);

test('SharedStatements runs statements of one turn in one transaction and returns the rows of each', async () => {
  const rows = (await Promise.all([add('b', 2), add('nothing', 1), add('a', 3)])).map(([row]) => row);
  expect(rows.map((row) => row?.amount)).toEqual(['3', undefined, '4']);
  expect(rows[0]?.transaction).toBe(rows[2]?.transaction);
});

test('SharedStatements reads values as a statement that runs alone does', async () => {
  const [at, bytes] = [new Date('2026-01-01T00:00:00Z'), Buffer.from([0, 255])];
  const read = () =>
    statements.execute(
      sql`SELECT ${at}::timestamptz AS at, ${bytes}::bytea AS bytes, ARRAY[${'x'}] AS list, NULL AS none, true AS is, ${'{"a":1}'}::jsonb AS json`,
    );
  const [alone] = await read();
  const [[first], [second]] = await Promise.all([read(), read()]);
  expect(first).toEqual(alone);
  expect(second).toEqual({ at, bytes, list: ['x'], none: null, is: true, json: { a: 1 } });
});

test('SharedStatements fails one bad row alone: the others of its transaction take effect once', async () => {
  const outcomes = await Promise.allSettled([add('a', 1), add('b', -5), add('c', 1)]);
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(await amounts()).toEqual(['2', '1', '2']);
});

test('SharedStatements runs again on the same connections after a statement failed', async () => {
  for (let round = 0; round < 3; round++) await Promise.allSettled([add('a', 1), add('b', -5), statements.execute(sql`SELECT broken`)]);
  await Promise.all([add('a', 1), add('c', 1)]);
  expect(await amounts()).toEqual(['5', '1', '2']);
});

test('SharedStatements lets a statement that waits for a lock hold up no other', async () => {
  const runner = database.createQueryRunner();
  await runner.startTransaction();
  await runner.query(`UPDATE works SET amount = 10 WHERE id = 'b'`);
  const blocked = add('b', 1);
  await Promise.all([add('a', 1), add('c', 1)]);
  expect(await amounts()).toEqual(['2', '1', '2']);
  await runner.commitTransaction();
  await runner.release();
  expect((await blocked)[0]?.amount).toBe('11');
});

test('SharedStatements of several processes that change the same rows all take effect', async () => {
  const other = new SharedStatements(database);
  const round = (of: SharedStatements) =>
    ['a', 'b', 'c'].map((id) => of.execute(sql`UPDATE works SET amount = amount + 1 WHERE id = ${id}`, id));
  for (let count = 0; count < 10; count++) await Promise.all([...round(statements), ...round(other)]);
  expect(await amounts()).toEqual(['21', '21', '21']);
});

test('SharedStatements answers every statement of a lost connection as unknown', async () => {
  const end = statements.execute(sql`SELECT pg_terminate_backend(pg_backend_pid())`, 'z');
  const outcomes = await Promise.allSettled([add('a', 1), add('b', 1), end]);
  const faults = outcomes.map((outcome) => outcome.status === 'rejected' && storageFault(outcome.reason));
  expect(faults).toEqual(['unknown', 'unknown', 'unknown']);
  await add('c', 1);
  expect(await amounts()).toEqual(['1', '1', '2']);
});

test('SharedStatements reads a column that a migration has added', async () => {
  const read = () => statements.execute(sql`SELECT * FROM works WHERE id = ${'a'}`);
  for (let round = 0; round < 4; round++) await Promise.all([read(), read()]);
  await database.query('ALTER TABLE works ADD COLUMN note text');
  const [[row]] = await Promise.all([read(), read()]);
  expect(row).toHaveProperty('note', null);
  const [[again]] = await Promise.all([read(), read()]);
  expect(again).toHaveProperty('note', null);
});
