import { type DataSource } from 'typeorm';
import { createDataSource, firstIdAt, newId } from '#database';
import { listedAccounts, operatorCaller } from '../../../../test/support/caller';
import { createMigratedDatabase, type TestDatabase } from '../../../../test/support/database';
import { ReadRows } from '../../../../test/support/rows-read';
import { Order, OrderLists } from '../orders';
import type { ListTransfersQuery } from './transfers.dto';
import { TransfersService } from './transfers.service';
import { insertAccount, insertOperator } from '../../../../test/support/accounts';

jest.setTimeout(60_000);

/** Transfers of an operator, one a second. The eighth is the only one of its kind. */
const TRANSFERS = 30_000;
const RARE = 7;
const STARTED_AT = Date.UTC(2026, 0, 1);
const at = (index: number): Date => new Date(STARTED_AT + index * 1_000);
const operator = newId('op');
const accounts = [newId('acct'), newId('acct')] as const;
const caller = operatorCaller(operator);

let testDatabase: TestDatabase;
let database: DataSource;
let read: ReadRows;
let transfers: TransfersService;

beforeAll(async () => {
  testDatabase = await createMigratedDatabase();
  database = createDataSource({ url: testDatabase.url, applicationName: 'transfers test', entities: [Order] });
  await database.initialize();
  read = new ReadRows(database, 'orders');
  await fill();
  // Listing transfers uses neither the chain nor an explorer, and resolves no recipient here.
  const fakes = [
    { tokenAccountOf: async (_operator: string, to: string) => to, ...listedAccounts },
    {},
    {},
    {},
    {},
    {},
    new OrderLists(database),
    { transaction: (signature: string) => signature },
  ];
  transfers = new TransfersService(database, ...(fakes as [never, never, never, never, never, never, never, never]));
});
afterAll(async () => {
  await database.destroy();
  await testDatabase.drop();
});

async function fill(): Promise<void> {
  await insertOperator(database, operator);
  for (const id of accounts) await insertAccount(database, { id, operatorId: operator });
  const ids = Array.from({ length: TRANSFERS }, (_, index) => firstIdAt('tr', at(index)));
  await database.query(
    `INSERT INTO orders (id, operator_id, account_id, kind, source, idempotency_key, request_hash, recipient, destination, micro_usdc, category, reference,
                         status, signature, rejection_reason, created_at, settled_at, final_at, lease_until)
     SELECT id, $2, CASE WHEN is_rare THEN $4 ELSE $3 END, 'transfer', 'request', id, '', 'r', CASE WHEN is_rare THEN 'rare' ELSE 'usual' END,
            CASE WHEN is_rare THEN 1000000 ELSE 1 + index % 1000 END, CASE WHEN is_rare THEN 'rare' ELSE 'usual' END, CASE WHEN is_rare THEN 'rare' ELSE 'r' || index END,
            CASE WHEN is_rare THEN 'rejected' ELSE 'settled' END, CASE WHEN is_rare THEN NULL ELSE id END, CASE WHEN is_rare THEN 'paused' END,
            at, CASE WHEN is_rare THEN NULL ELSE at END, at, at
     FROM (SELECT id, index, index = $5 + 1 AS is_rare, to_timestamp($6::bigint + index - 1) AS at FROM unnest($1::text[]) WITH ORDINALITY AS given (id, index)) AS given`,
    [ids, operator, accounts[0], accounts[1], RARE, STARTED_AT / 1000],
  );
  await database.query('ANALYZE orders');
}

test.each<[string, Partial<ListTransfersQuery>, number]>([
  ['the first page', {}, 20],
  ['a rare recipient', { to: 'rare' }, 1],
  ['a rare category', { category: 'rare' }, 1],
  ['a rare reason', { rejection_reason: 'paused' }, 1],
  ['an absent reason', { rejection_reason: 'max_daily_spend' }, 0],
  ['a rare reference', { reference: 'rare' }, 1],
  ['a rare status', { status: 'rejected' }, 1],
  ['an absent status', { status: 'submitted' }, 0],
  ['a rare amount', { min_amount: '0.5' }, 1],
  ['an account with few', { account_id: accounts[1] }, 1],
  ['an idempotency key', { idempotency_key: firstIdAt('tr', at(3)) }, 1],
  ['the oldest ones', { until: at(4).toISOString() }, 5],
  ['those between two moments', { since: at(4).toISOString(), until: at(10).toISOString() }, 6],
  ['a usual recipient before a moment', { to: 'usual', until: at(9).toISOString() }, 9],
])('listing transfers by %s reads fewer than 1,000 rows of 30,000', async (_what, query, count) => {
  expect((await transfers.list(caller, { limit: 20, ...query })).data).toHaveLength(count);
  expect(await read.ofLatest()).toBeLessThan(1_000);
});

test('an agent’s list of an account with few transfers reads fewer than 1,000 rows of 30,000', async () => {
  expect((await transfers.list({ ...caller, type: 'agent', accountIds: [accounts[1]] }, { limit: 20 })).data).toHaveLength(1);
  expect(await read.ofLatest()).toBeLessThan(1_000);
});
