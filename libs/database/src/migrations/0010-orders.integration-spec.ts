import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/database';
import { migrations } from '.';

type Row = Record<string, unknown>;

/** Rows of a database of release 0.1 at schema 9: transfers, sessions, top-ups, charges that were paid and charges that were backfilled. */
const BEFORE = JSON.parse(readFileSync(join(__dirname, '..', '..', 'test', 'fixtures', 'schema-0009.json'), 'utf8')) as Record<
  string,
  Row[]
>;
const TABLES = Object.keys(BEFORE);
const old = (kind: string): Row[] => (BEFORE.transfers ?? []).filter((row) => row.kind === kind);
const byId = (rows: Row[]): Row[] => rows.toSorted((one, other) => (String(one.id) < String(other.id) ? -1 : 1));

let database: TestDatabase;
let client: Client;

beforeEach(async () => {
  database = await createTestDatabase();
  client = new Client({ connectionString: database.url });
  await client.connect();
  await up(9);
  await client.query('BEGIN');
  for (const table of TABLES)
    await client.query(`INSERT INTO ${table} SELECT * FROM jsonb_populate_recordset(NULL::${table}, $1)`, [JSON.stringify(BEFORE[table])]);
  await client.query('COMMIT');
});

afterEach(async () => {
  await client.end();
  await database.drop();
});

/** Works on the database with the first migrations only. */
async function withMigrations(count: number, work: (source: DataSource) => Promise<unknown>): Promise<void> {
  const source = new DataSource({ type: 'postgres', url: database.url, migrations: migrations.slice(0, count) });
  await source.initialize();
  await work(source);
  await source.destroy();
}

const up = (version: number): Promise<void> => withMigrations(version, (source) => source.runMigrations());
const down = (version: number): Promise<void> => withMigrations(version, (source) => source.undoLastMigration());

async function rows(statement: string): Promise<Row[]> {
  return (await client.query<Row>(statement)).rows;
}

test('migration 10 keeps every row of a database with orders of all kinds', async () => {
  await up(10);
  for (const [before, after] of [
    ['transfers', 'orders'],
    ['transfer_attempts', 'order_attempts'],
    ['records', 'ledger_entries'],
    ['forgotten_numbers', 'examined_nonces'],
  ] as const)
    expect(await rows(`SELECT count(*)::int AS count FROM ${after}`)).toEqual([{ count: BEFORE[before]?.length }]);
});

test('migration 10 moves the delegate, the payee and the source of a charge into columns of their own', async () => {
  await up(10);
  const charges = await rows(
    `SELECT id, payee, destination, delegate_key, source, recipient, idempotency_key FROM orders WHERE kind = 'charge' ORDER BY id`,
  );
  expect(charges).toEqual(
    byId(old('charge')).map(({ id, recipient, destination, idempotency_key }) => ({
      id: String(id).replace('pay_', 'chg_'),
      payee: recipient,
      destination: destination === recipient ? null : destination,
      delegate_key: idempotency_key,
      source: destination === recipient ? 'request' : 'backfill',
      recipient: null,
      idempotency_key: null,
    })),
  );
  expect(new Set(charges.map(({ source }) => source)).size).toBe(2);
});

test('migration 10 keeps the recipient of transfers and names the payee of sessions and top-ups', async () => {
  await up(10);
  expect(await rows(`SELECT id, recipient, destination, payee FROM orders WHERE kind = 'transfer' ORDER BY id`)).toEqual(
    byId(old('transfer')).map(({ id, recipient, destination }) => ({ id, recipient, destination, payee: null })),
  );
  expect(await rows(`SELECT id, recipient, destination, payee FROM orders WHERE kind IN ('session', 'top_up') ORDER BY id`)).toEqual(
    byId([...old('session'), ...old('top_up')]).map(({ id, recipient }) => ({ id, recipient: null, destination: null, payee: recipient })),
  );
});

test('migration 10 links each paid single payment to its order and its ledger entry', async () => {
  await up(10);
  const linked = await rows(
    `SELECT payments.id, orders.kind, entry.payment_id, entry.provider = payments.provider AS is_provider FROM payments
     JOIN orders ON orders.id = payments.order_id JOIN ledger_entries entry ON entry.order_id = orders.id ORDER BY payments.id`,
  );
  expect(linked).toEqual(byId(BEFORE.payments ?? []).map(({ id }) => ({ id, kind: 'charge', payment_id: id, is_provider: true })));
});

test('migration 10 down restores every row as it was', async () => {
  await up(10);
  await down(10);
  for (const table of TABLES) {
    const now = (await rows(`SELECT to_jsonb(each) AS row FROM ${table} each`)).map(({ row }) => row);
    expect(new Set(now.map((row) => JSON.stringify(row)))).toEqual(new Set(BEFORE[table]?.map((row) => JSON.stringify(row))));
  }
});
