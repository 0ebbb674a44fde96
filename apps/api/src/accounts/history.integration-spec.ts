import { DataSource } from 'typeorm';
import { createDataSource, firstIdAt, migrate, newId } from '#database';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/database';
import { LedgerEntry } from '../ledger/ledger-entry.entity';
import type { ListRecordsQuery } from './accounts.dto';
import { HistoryService } from './history.service';

jest.setTimeout(60_000);

/** Ledger entries of each of two accounts. Every tenth is a rejection. */
const RECORDS = 50_000;
const STARTED_AT = Date.UTC(2026, 0, 1);
const at = (index: number): Date => new Date(STARTED_AT + index * 1_000);

let testDatabase: TestDatabase;
let database: DataSource;
let history: HistoryService;
const statements: { query: string; parameters: unknown[] }[] = [];

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  await migrate(testDatabase.url);
  database = createDataSource({ url: testDatabase.url, applicationName: 'history test', entities: [LedgerEntry] });
  await database.initialize();
  database.logger = {
    ...database.logger,
    logQuery: (query, parameters) => void statements.push({ query, parameters: Array.isArray(parameters) ? parameters : [] }),
  };
  await fill();
  // Reading a history uses neither the chain nor an explorer.
  history = new HistoryService(
    database,
    { find: () => Promise.resolve() } as never,
    { transaction: (signature: string) => signature } as never,
  );
});
afterAll(async () => {
  await database.destroy();
  await testDatabase.drop();
});

const accounts = [newId('acct'), newId('acct')] as const;

async function fill(): Promise<void> {
  const operator = newId('op');
  await database.query(`INSERT INTO operators (id, name, chain_key, chain_key_sealed) VALUES ($1, 'o', 'k', 's')`, [operator]);
  for (const id of accounts) {
    await database.query(
      `INSERT INTO accounts (id, operator_id, name, handle, state, creator, chain_address, usdc_token_account, authority_key, authority_key_sealed, policy) VALUES ($1, $2, 'a', $1, 'open', 'c', $1, $1, 'k', 's', '{}')`,
      [id, operator],
    );
  }
  const ids = Array.from({ length: RECORDS }, (_, index) =>
    accounts.map((account) => ({ id: `${firstIdAt('txn', at(index)).slice(0, -1)}${accounts.indexOf(account)}`, account, index })),
  ).flat();
  await database.query(
    `INSERT INTO ledger_entries (id, account_id, type, direction, micro_usdc, rejection_reason, created_at, settled_at)
     SELECT id, account, CASE WHEN index % 10 = 0 THEN 'rejection' ELSE 'transfer' END, 'out', 1, CASE WHEN index % 10 = 0 THEN 'paused' END,
            to_timestamp($4 + index), CASE WHEN index % 10 = 0 THEN NULL ELSE now() END
     FROM unnest($1::text[], $2::text[], $3::int[]) AS given (id, account, index)`,
    [ids.map(({ id }) => id), ids.map(({ account }) => account), ids.map(({ index }) => index), STARTED_AT / 1000],
  );
  await database.query('ANALYZE ledger_entries');
}

/** How many rows the database read for the latest statement on ledger entries. */
async function rowsRead(): Promise<number> {
  const { query, parameters } = statements.findLast((statement) => statement.query.includes('"ledger_entries"')) ?? {
    query: '',
    parameters: [],
  };
  const [row]: { 'QUERY PLAN': { Plan: Plan }[] }[] = await database.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${query}`, parameters);
  const read = (plan: Plan): number =>
    plan['Actual Rows'] * plan['Actual Loops'] +
    (plan['Rows Removed by Filter'] ?? 0) +
    (plan.Plans ?? []).reduce((sum, child) => sum + read(child), 0);
  return read(row?.['QUERY PLAN'][0]?.Plan ?? { 'Actual Rows': Infinity, 'Actual Loops': 1 });
}

interface Plan {
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: Plan[];
}

const list = (query: Partial<ListRecordsQuery>) => history.list('op', accounts[0], { limit: 25, status: 'all', ...query });

test.each([
  ['the first page', {}],
  ['a page in the middle', { cursor: firstIdAt('txn', at(RECORDS / 2)) }],
  ['rejections', { status: 'rejected' as const }],
  ['settled records', { status: 'settled' as const }],
  ['records newer than the newest', { since: at(RECORDS).toISOString() }],
  ['the last ten records', { since: at(RECORDS - 11).toISOString() }],
  ['an old page since an old time', { cursor: firstIdAt('txn', at(100)), since: at(50).toISOString() }],
])('listing %s of a long history reads fewer than 1,000 rows', async (_what, query) => {
  await list(query);
  expect(await rowsRead()).toBeLessThan(1_000);
});

test('since of a history is exclusive to the millisecond', async () => {
  expect((await list({ since: at(RECORDS - 2).toISOString() })).data).toHaveLength(1);
  expect((await list({ since: new Date(at(RECORDS - 2).getTime() - 1).toISOString() })).data).toHaveLength(2);
  expect((await list({ since: at(RECORDS - 1).toISOString() })).data).toHaveLength(0);
});
