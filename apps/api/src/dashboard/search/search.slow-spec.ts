import { newId, type Sql } from '#database';
import { startApp, type TestApp } from '../../../../../test/support/app';
import { fillHistory } from '../../../../../test/support/history';
import { OperatorsService } from '../../keys/operators/operators.service';
import type { SearchView } from '../views';
import { hitsOfAccounts, hitsOfPayments, hitsOfTransfers } from './search.sql';

jest.setTimeout(120_000);

const TRANSFERS = 30_000;
const PAYMENTS = 10_000;
/** Pages of 8 KiB that one group of a search may read. Reading all transfers takes some thousands. */
const MAX_PAGES = 3_000;

let app: TestApp;
let other: { id: string; key: string };
let accounts: string[];

beforeAll(async () => {
  app = await startApp();
  const { operator, key } = await app.app.get(OperatorsService).create('another');
  other = { id: operator.id, key: key.key };
  const query = (text: string, values: unknown[]): Promise<unknown> => app.database.query(text, values);
  accounts = await Promise.all(['Research agent', 'Data supplier', 'Größe AG'].map((name) => insertAccount(name, app.operatorId)));
  const theirs = await Promise.all(['Research robot', 'Their shop'].map((name) => insertAccount(name, other.id)));
  await fillHistory(query, { operatorId: app.operatorId, accountIds: accounts, transfers: TRANSFERS, payments: PAYMENTS });
  await fillHistory(query, { operatorId: other.id, accountIds: theirs, transfers: 100, payments: 100, until: new Date(Date.now() + 7) });
});
afterAll(() => app.close());

async function insertAccount(name: string, operatorId: string): Promise<string> {
  const id = await app.insertAccount(operatorId);
  const handle = `${name.toLowerCase().replace(/[^a-z]+/g, '-')}-${id.slice(-4)}`;
  await app.database.query('UPDATE accounts SET name = $2, name_key = $3, handle = $4 WHERE id = $1', [
    id,
    name,
    name.toLowerCase(),
    handle,
  ]);
  return id;
}

const search = async (text: string, key = app.operatorKey): Promise<SearchView> =>
  (await app.send('get', `/dashboard/data/search?q=${encodeURIComponent(text)}`, key).expect(200)).body;
const one = async (table: string, column: string): Promise<string> =>
  String(
    (
      await app.database.query(`SELECT ${column} AS value FROM ${table} WHERE operator_id = $1 ORDER BY id DESC OFFSET 20000 LIMIT 1`, [
        app.operatorId,
      ])
    )[0].value,
  );

test.each([
  ['research', 'Research agent'],
  ['AGENT', 'Research agent'],
  ['supp', 'Data supplier'],
  ['größe', 'Größe AG'],
  ['data-supplier', 'Data supplier'],
])('the search for %j finds the account %j', async (text, name) => {
  expect((await search(text)).accounts).toMatchObject([{ name, status: 'active', matched: 'name' }]);
});

test('an account is found by its id and addresses', async () => {
  expect((await search(accounts[0] ?? '')).accounts).toMatchObject([{ account_id: accounts[0], matched: 'id' }]);
});

test.each([
  ['id', 'id'],
  ['idempotency_key', 'idempotency_key'],
  ['reference', 'reference'],
  ['signature', 'signature'],
])('a transfer is found by its %s', async (column, matched) => {
  const text = await one('orders', column);
  const { transfers } = await search(` ${text} `);
  expect(transfers).toMatchObject([{ transfer_id: await one('orders', 'id'), matched }]);
});

test('a transfer is found by words of its memo in any order, however old it is', async () => {
  const [word = ''] = (await one('orders', 'memo')).match(/\d+$/) ?? [];
  const { transfers } = await search(`#${word} ${(await one('orders', 'memo')).slice(0, 4).toUpperCase()}`);
  expect(transfers).toMatchObject([{ transfer_id: await one('orders', 'id'), matched: 'memo' }]);
});

test('a common word of memos finds the ten newest transfers', async () => {
  const { transfers } = await search('embeddings');
  const newest = await app.database.query(
    `SELECT id FROM orders WHERE operator_id = $1 AND memo LIKE 'embeddings%' ORDER BY id DESC LIMIT 10`,
    [app.operatorId],
  );
  expect(transfers.map(({ transfer_id }) => transfer_id)).toEqual(newest.map(({ id }: { id: string }) => id));
});

test('transfers are found by their amount, and by the account, handle or address that they pay', async () => {
  const { transfers } = await search('1.230000');
  expect(new Set(transfers.map(({ amount_usdc, matched }) => `${amount_usdc} ${matched}`))).toEqual(new Set(['1.230000 amount']));
  const [{ handle }] = await app.database.query('SELECT handle FROM accounts WHERE id = $1', [accounts[1]]);
  for (const text of [accounts[1] ?? '', handle]) {
    const paid = (await search(text)).transfers;
    expect([paid.length, new Set(paid.map(({ to, matched }) => `${to} ${matched}`))]).toEqual([
      10,
      new Set([`${accounts[1]} counterparty`]),
    ]);
  }
});

test.each(['id', 'idempotency_key', 'reference'])('a payment is found by its %s', async (column) => {
  const at = `SELECT id, ${column} AS value FROM payments WHERE operator_id = $1 ORDER BY id OFFSET 100 LIMIT 1`;
  const [{ id, value }] = await app.database.query(at, [app.operatorId]);
  expect((await search(value)).payments).toMatchObject([{ payment_id: id, matched: column }]);
});

test('payments are found by a part of their provider’s host and by their amount', async () => {
  const { payments } = await search('images.ex');
  expect([payments.length, new Set(payments.map(({ provider }) => provider))]).toEqual([10, new Set(['https://images.example.net'])]);
  expect((await search('0.001500')).payments[0]).toMatchObject({ amount_usdc: '0.001500', matched: 'amount' });
});

test('the search finds no row of another operator, by any of its texts', async () => {
  const [order] = await app.database.query(
    'SELECT id, signature, account_id FROM orders WHERE operator_id = $1 AND signature IS NOT NULL LIMIT 1',
    [other.id],
  );
  const [payment] = await app.database.query('SELECT id FROM payments WHERE operator_id = $1 LIMIT 1', [other.id]);
  for (const text of [order.id, order.signature, order.account_id, payment.id, 'robot', 'Their shop', other.id]) {
    expect(await search(text)).toEqual({ accounts: [], transfers: [], payments: [], escrows: [] });
  }
  expect((await search('robot', other.key)).accounts).toHaveLength(1);
  const { transfers, payments } = await search('INV-7', other.key);
  expect([transfers.length, payments.length]).toEqual([1, 0]);
});

test.each(['%', `'`, `' OR 1=1 --`, ':*', '\\', '(', '&', '!', '😀', '<b>', 'x'.repeat(200), '-', "it's", '0', '1e9', '٣'])(
  'the search for the odd text %j finds nothing and does not fail',
  async (text) => expect(await search(text)).toEqual({ accounts: [], transfers: [], payments: [], escrows: [] }),
);

test.each(['', ' ', 'a\0b', 'x'.repeat(201), '\ud800'])('the search for the invalid text %j is 400', async (text) => {
  const escaped = text === '\ud800' ? '%ED%A0%80' : encodeURIComponent(text);
  expect((await app.send('get', `/dashboard/data/search?q=${escaped}`)).status).toBe(text === '\ud800' ? 200 : 400);
});

test('the search is 401 without a session, 403 for an agent key, and 400 without a text', async () => {
  await app.send('get', '/dashboard/data/search?q=a', null).expect(401);
  const { body } = await app
    .send('post', '/v1/api_keys')
    .send({ type: 'agent', account_ids: [accounts[0]] })
    .expect(201);
  await app.send('get', '/dashboard/data/search?q=a', body.key).expect(403);
  await app.send('get', '/dashboard/data/search').expect(400);
  await app.send('get', '/dashboard/data/search?q=a&q=b').expect(400);
});

test.each<[string, { text: string; words: string | null; microUsdc?: string }]>([
  ['a common word', { text: 'market', words: 'market' }],
  ['a rare word', { text: '29999', words: '29999' }],
  ['the first letter of many words', { text: 'w', words: 'w' }],
  ['an absent word', { text: 'absent', words: 'absent' }],
  ['an amount', { text: '1.23', words: '1', microUsdc: '1230000' }],
  ['an address', { text: newId('acct'), words: null }],
  ['a host', { text: 'example', words: 'example' }],
])('a search for %s reads a bounded number of pages of 30,000 transfers', async (_what, { text, words, microUsdc = null }) => {
  const searched = { operatorId: app.operatorId, text, words: words && `'${app.operatorId}' & ('${words}':*)`, microUsdc };
  for (const hits of [hitsOfAccounts(searched), hitsOfTransfers(searched), hitsOfPayments(searched)])
    expect(await pagesOf(hits)).toBeLessThan(MAX_PAGES);
});

async function pagesOf({ text, values }: Sql): Promise<number> {
  const [row] = await app.database.query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`, values);
  const plan = row['QUERY PLAN'][0].Plan;
  return plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
}
