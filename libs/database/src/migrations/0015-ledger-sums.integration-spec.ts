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
  await client.query('COMMIT');
  await up(15);
});

afterEach(async () => {
  await client.end();
  await database.drop();
});

async function up(version: number): Promise<void> {
  const source = new DataSource({ type: 'postgres', url: database.url, migrations: migrations.slice(0, version) });
  await source.initialize();
  await source.runMigrations();
  await source.destroy();
}

const rows = async (statement: string): Promise<Row[]> => (await client.query<Row>(statement)).rows;
const NET = `sum(CASE direction WHEN 'in' THEN micro_usdc ELSE -micro_usdc END)::text AS net`;
const entries = () => rows(`SELECT account_id, ${NET} FROM ledger_entries WHERE type <> 'rejection' GROUP BY 1 ORDER BY 1`);
const sums = () => rows(`SELECT account_id, sum(net_micro_usdc)::text AS net FROM ledger_account_nets GROUP BY 1 ORDER BY 1`);

test('migration 15 sums the ledger entries of an older database', async () => {
  expect((await entries()).length).toBeGreaterThan(1);
  expect(await sums()).toEqual(await entries());
  const [detail] = await rows(
    `SELECT sum(entries)::int AS count, sum(micro_usdc)::text AS sum FROM ledger_sums WHERE span = 'hour' AND account_id IS NULL`,
  );
  expect(detail).toEqual(
    (await rows(`SELECT count(*)::int AS count, sum(micro_usdc)::text AS sum FROM ledger_entries WHERE direction = 'out'`))[0],
  );
});

test('migration 15 notes the entries that a process of the release before it writes', async () => {
  const [{ id, operator_id } = {}] = await rows('SELECT id, operator_id FROM accounts ORDER BY id LIMIT 1');
  await client.query('SELECT record_ledger_entries($1)', [
    JSON.stringify([
      {
        id: 'txn_1',
        account_id: id,
        type: 'transfer',
        direction: 'out',
        micro_usdc: 5,
        metadata: {},
        created_at: new Date(),
        settled_at: new Date(),
      },
    ]),
  ]);
  await client.query(
    `INSERT INTO ledger_entries (id, operator_id, account_id, type, direction, micro_usdc, created_at, settled_at) VALUES ('txn_2', $1, $2, 'deposit', 'in', 9, now(), now())`,
    [operator_id, id],
  );
  expect(await sums()).not.toEqual(await entries());
  expect(await rows('SELECT fold_ledger_entries(100)::int AS folded')).toEqual([{ folded: 2 }]);
  expect(await sums()).toEqual(await entries());
});
