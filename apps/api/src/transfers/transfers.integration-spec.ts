import { firstIdAt } from '#database';
import { listedAccounts } from '../../../../test/support/caller';
import { accounts, at, caller, ListedRows } from '../../../../test/support/listed-rows';
import { Order, OrderLists } from '../orders';
import type { ListTransfersQuery } from './transfers.dto';
import { TransfersService } from './transfers.service';

jest.setTimeout(60_000);

const INSERT = `
    INSERT INTO orders (id, operator_id, account_id, kind, source, idempotency_key, request_hash, recipient, destination, micro_usdc, category, reference,
                         status, signature, rejection_reason, created_at, settled_at, final_at, lease_until)
     SELECT id, $2, CASE WHEN is_rare THEN $4 ELSE $3 END, 'transfer', 'request', id, '', 'r', CASE WHEN is_rare THEN 'rare' ELSE 'usual' END,
            CASE WHEN is_rare THEN 1000000 ELSE 1 + index % 1000 END, CASE WHEN is_rare THEN 'rare' ELSE 'usual' END,
            CASE WHEN is_rare THEN 'rare' ELSE 'r' || index END,
            CASE WHEN is_rare THEN 'rejected' ELSE 'settled' END, CASE WHEN is_rare THEN NULL ELSE id END, CASE WHEN is_rare THEN 'paused' END,
            at, CASE WHEN is_rare THEN NULL ELSE at END, at, at`;

let rows: ListedRows;
let transfers: TransfersService;
beforeAll(async () => {
  rows = await ListedRows.insert({ table: 'orders', entity: Order, prefix: 'tr', insert: INSERT });
  // Listing transfers uses neither the chain nor an explorer, and resolves no recipient here.
  const fakes = [
    { tokenAccountOf: async (_operator: string, to: string) => to, ...listedAccounts },
    {},
    {},
    {},
    {},
    {},
    new OrderLists(rows.database),
    { transaction: (signature: string) => signature },
  ];
  transfers = new TransfersService(rows.database, ...(fakes as [never, never, never, never, never, never, never, never]));
});
afterAll(() => rows.drop());

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
  expect(await rows.read.ofLatest()).toBeLessThan(1_000);
});

test('an agent’s list of an account with few transfers reads fewer than 1,000 rows of 30,000', async () => {
  expect((await transfers.list({ ...caller, type: 'agent', accountIds: [accounts[1]] }, { limit: 20 })).data).toHaveLength(1);
  expect(await rows.read.ofLatest()).toBeLessThan(1_000);
});
