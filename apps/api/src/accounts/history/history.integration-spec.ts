import { DataSource } from 'typeorm';
import { createDataSource, firstIdAt, newId } from '#database';
import type { Caller } from '../../http/caller';
import { listedAccounts, operatorCaller } from '../../../../../test/support/caller';
import { createMigratedDatabase, type TestDatabase } from '../../../../../test/support/database';
import { ReadRows } from '../../../../../test/support/rows-read';
import { LedgerEntry } from '../../ledger/ledger-entry.entity';
import { LedgerService } from '../../ledger/ledger.service';
import type { ListRecordsQuery, ListTransactionsQuery } from './records.dto';
import { AccountSelection } from '../account-selection';
import { HistoryService } from './history.service';
import { insertAccount, insertOperator } from '../../../../../test/support/accounts';

jest.setTimeout(60_000);

/** Ledger entries of each of two accounts. Every tenth is a rejection. */
const RECORDS = 50_000;
const STARTED_AT = Date.UTC(2026, 0, 1);
const at = (index: number): Date => new Date(STARTED_AT + index * 1_000);

let testDatabase: TestDatabase;
let database: DataSource;
let history: HistoryService;
let read: ReadRows;

beforeAll(async () => {
  testDatabase = await createMigratedDatabase();
  database = createDataSource({ url: testDatabase.url, applicationName: 'history test', entities: [LedgerEntry] });
  await database.initialize();
  read = new ReadRows(database, 'ledger_entries');
  await fill();
  // Reading a history uses neither the chain nor an explorer.
  history = new HistoryService(
    new LedgerService(database, { now: () => new Date() }),
    { find: () => Promise.resolve(), ...listedAccounts } as never,
    new AccountSelection(database),
    { transaction: (signature: string) => signature } as never,
  );
});
afterAll(async () => {
  await database.destroy();
  await testDatabase.drop();
});

const accounts = [newId('acct'), newId('acct')] as const;
const operator = newId('op');

async function fill(): Promise<void> {
  await insertOperator(database, operator);
  for (const id of accounts) {
    await insertAccount(database, { id, operatorId: operator });
  }
  const ids = Array.from({ length: RECORDS }, (_, index) =>
    accounts.map((account) => ({ id: `${firstIdAt('txn', at(index)).slice(0, -1)}${accounts.indexOf(account)}`, account, index })),
  ).flat();
  for (let from = 0; from < ids.length; from += 10_000) {
    const some = ids.slice(from, from + 10_000);
    await database.query(
      `INSERT INTO ledger_entries (id, operator_id, account_id, counterparty, category, reference, type, direction, micro_usdc, rejection_reason, created_at, settled_at)
       SELECT id, $5, account, CASE index WHEN 7 THEN 'rare' ELSE 'usual' END, CASE index WHEN 7 THEN 'rare' ELSE 'usual' END, CASE index WHEN 7 THEN 'rare' ELSE 'r' || index END, CASE WHEN index % 10 = 0 THEN 'rejection' ELSE 'transfer' END, 'out', 1, CASE WHEN index % 10 = 0 THEN 'paused' END,
              to_timestamp($4 + index), CASE WHEN index % 10 = 0 THEN NULL ELSE now() END
       FROM unnest($1::text[], $2::text[], $3::int[]) AS given (id, account, index)`,
      [some.map(({ id }) => id), some.map(({ account }) => account), some.map(({ index }) => index), STARTED_AT / 1000, operator],
    );
  }
  await database.query('ANALYZE ledger_entries');
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
  expect(await read.ofLatest()).toBeLessThan(1_000);
});

const caller = operatorCaller(operator);
const listAll = (query: Partial<ListTransactionsQuery>, by = caller) => history.listAll(by, { limit: 20, status: 'all', ...query });
const RARE = 'rare';

test.each<[string, Partial<ListTransactionsQuery>, number]>([
  ['the first page', {}, 20],
  ['an old page', { cursor: firstIdAt('txn', at(5)) }, 10],
  ['a rare type', { type: 'deposit' }, 0],
  ['rejections', { status: 'rejected' }, 20],
  ['a rare category', { category: RARE }, 2],
  ['a rare counterparty', { counterparty: RARE }, 2],
  ['a rare reference', { reference: RARE }, 2],
  ['a rare reference of one account', { reference: RARE, account_id: accounts[1] }, 1],
  ['one account', { account_id: accounts[1] }, 20],
  ['an unknown account', { account_id: newId('acct') }, 0],
  ['the oldest records', { until: at(9).toISOString() }, 20],
  ['records between two moments', { since: at(9).toISOString(), until: at(12).toISOString() }, 6],
])('listing %s of all accounts reads fewer than 2,000 rows', async (_what, query, count) => {
  expect((await listAll(query)).data).toHaveLength(count);
  expect(await read.ofLatest()).toBeLessThan(2_000);
});

test.each<[string, Partial<ListRecordsQuery>]>([
  ['a rare type', { type: 'deposit' }],
  ['the oldest records', { until: at(30).toISOString() }],
])('listing %s of one account reads fewer than 1,000 rows', async (_what, query) => {
  await list(query);
  expect(await read.ofLatest()).toBeLessThan(1_000);
});

test('until of a history is inclusive to the millisecond', async () => {
  expect((await list({ until: at(2).toISOString() })).data).toHaveLength(3);
  expect((await list({ until: new Date(at(2).getTime() - 1).toISOString() })).data).toHaveLength(2);
});

test('an agent lists the records of its own accounts only', async () => {
  const agent: Caller = { ...caller, type: 'agent', accountIds: [accounts[0]] };
  expect(new Set((await listAll({}, agent)).data.map(({ account_id }) => account_id))).toEqual(new Set([accounts[0]]));
  expect((await listAll({ account_id: accounts[1] }, agent)).data).toEqual([]);
});

test('an export has every record once, and reads a page only when the reader has taken the one before', async () => {
  const first = read.statements.length;
  const pages = (): number => read.statements.length - first;
  const ids = new Set<string>();
  let chunks = 0;
  for await (const chunk of history.every(caller, { limit: 20, status: 'all' })) {
    expect(pages()).toBe(++chunks);
    for (const { id } of chunk) ids.add(id);
  }
  expect(ids.size).toBe(2 * RECORDS);
  expect(chunks).toBe((2 * RECORDS) / 500 + 1);
});

test('an export holds no transaction while its reader waits', async () => {
  const chunks = history.every(caller, { limit: 20, status: 'all' });
  await chunks.next();
  const open = await database.query(
    `SELECT 1 FROM pg_stat_activity WHERE application_name = 'history test' AND state LIKE 'idle in transaction%'`,
  );
  expect(open).toEqual([]);
  await chunks.return(undefined);
});

test('since of a history is exclusive to the millisecond', async () => {
  expect((await list({ since: at(RECORDS - 2).toISOString() })).data).toHaveLength(1);
  expect((await list({ since: new Date(at(RECORDS - 2).getTime() - 1).toISOString() })).data).toHaveLength(2);
  expect((await list({ since: at(RECORDS - 1).toISOString() })).data).toHaveLength(0);
});
