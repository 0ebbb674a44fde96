import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/database';
import { migrations } from '.';

type Row = Record<string, unknown>;

/** Rows of a database of release 0.1 at schema 9, as for migration 10. */
const BEFORE = JSON.parse(readFileSync(join(__dirname, '..', '..', 'test', 'fixtures', 'schema-0009.json'), 'utf8')) as Record<
  string,
  Row[]
>;
const TABLES = ['orders', 'order_attempts', 'sessions', 'payments', 'purses', 'ledger_entries', 'accounts'];

let database: TestDatabase;
let client: Client;

beforeEach(async () => {
  database = await createTestDatabase();
  client = new Client({ connectionString: database.url });
  await client.connect();
  await up(9);
  await client.query('BEGIN');
  for (const [table, rows] of Object.entries(BEFORE))
    await client.query(`INSERT INTO ${table} SELECT * FROM jsonb_populate_recordset(NULL::${table}, $1)`, [JSON.stringify(rows)]);
  await client.query(`UPDATE accounts SET name = 'ÄPFEL Kilo' WHERE id = (SELECT min(id) FROM accounts)`);
  await client.query('COMMIT');
  await up(11);
});

afterEach(async () => {
  await client.end();
  await database.drop();
});

async function withMigrations(count: number, work: (source: DataSource) => Promise<unknown>): Promise<void> {
  const source = new DataSource({ type: 'postgres', url: database.url, migrations: migrations.slice(0, count) });
  await source.initialize();
  await work(source);
  await source.destroy();
}

const up = (version: number): Promise<void> => withMigrations(version, (source) => source.runMigrations());
const down = (version: number): Promise<void> => withMigrations(version, (source) => source.undoLastMigration());
const rows = async (statement: string): Promise<Row[]> => (await client.query<Row>(statement)).rows;
async function everyRow(): Promise<Row> {
  const found: Row = {};
  for (const table of TABLES) found[table] = await rows(`SELECT to_jsonb(t) AS row FROM ${table} t ORDER BY t::text`);
  return found;
}
const recordFunction = () => rows(`SELECT pg_get_functiondef(oid) FROM pg_proc WHERE proname = 'record_ledger_entries'`);

test('migration 12 gives every ledger entry its operator, and a transfer’s entry its transfer', async () => {
  await up(12);
  const entries = await rows(`
    SELECT entry.type, entry.transfer_id, orders.id AS order_id, orders.kind, orders.operator_id = accounts.operator_id AS is_own,
           entry.operator_id = accounts.operator_id AS is_of_operator, entry.reference, entry.metadata
    FROM ledger_entries entry JOIN accounts ON accounts.id = entry.account_id LEFT JOIN orders ON orders.id = entry.order_id`);
  expect(entries.length).toBe(BEFORE.records?.length);
  for (const { type, transfer_id, order_id, kind, is_own, is_of_operator, reference, metadata } of entries) {
    expect([is_of_operator, reference, metadata]).toEqual([true, null, {}]);
    expect([type, transfer_id]).toEqual([type, kind === 'transfer' && is_own ? order_id : null]);
  }
  expect(entries.some(({ transfer_id }) => transfer_id !== null)).toBe(true);
});

test('migration 12 folds the case of names beyond ASCII', async () => {
  await up(12);
  expect(await rows(`SELECT name_key FROM accounts WHERE name = 'ÄPFEL Kilo'`)).toEqual([{ name_key: 'äpfel kilo' }]);
});

test('migration 12 and its reversal leave every row and the function of entries as they were', async () => {
  const [before, definition] = [await everyRow(), await recordFunction()];
  await up(12);
  expect(await recordFunction()).not.toEqual(definition);
  await down(12);
  expect([await everyRow(), await recordFunction()]).toEqual([before, definition]);
});
