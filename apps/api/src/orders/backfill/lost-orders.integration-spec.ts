import { type DataSource } from 'typeorm';
import { createDataSource, newId, tagIn } from '#database';
import { createMigratedDatabase, type TestDatabase } from '../../../../../test/support/database';
import { Clock } from '../../runtime/clock';
import type { Config } from '../../runtime/config';
import { LostOrderStore } from './lost-order.store';
import { anOrder } from '../order.builder';
import { Order, type OrderKind } from '../order.entity';
import { RequestTags } from '../../secrets';
import { OrderTags } from '../placing/order-tags';
import { insertAccount, insertOperator } from '../../../../../test/support/accounts';

jest.setTimeout(60_000);

const TTL_SECONDS = 86_400;
const operatorId = newId('op');
const accountId = newId('acct');

let testDatabase: TestDatabase;
let database: DataSource;
let tags: OrderTags;
let store: LostOrderStore;

beforeAll(async () => {
  testDatabase = await createMigratedDatabase();
  database = createDataSource({ url: testDatabase.url, applicationName: 'lost orders test', entities: [Order] });
  await database.initialize();
  tags = new OrderTags(new RequestTags(database));
  store = new LostOrderStore(database, { IDEMPOTENCY_TTL_SECONDS: TTL_SECONDS } as Config, new Clock());
  await insertOperator(database, operatorId);
  await insertAccount(database, { id: accountId, operatorId });
});
afterAll(async () => {
  await database.destroy();
  await testDatabase.drop();
});

let signatures = 0;

/** A stored transfer: written from the chain, unless it has a key. */
async function stored({ id, key = null, status = 'settled', age = 0 }: { id: string; key?: string | null; status?: string; age?: number }) {
  const at = new Date(Date.now() - age * 1000);
  const isSettled = status === 'settled';
  await database.query(
    `INSERT INTO orders (id, operator_id, account_id, kind, source, idempotency_key, active_idempotency_key, request_hash, recipient, destination,
                         micro_usdc, status, failure, signature, seq, created_at, settled_at, final_at, lease_until)
     VALUES ($1, $2, $3, 'transfer', $4, $5, $5, '', 'to', 'to', 1, $6, $7, $8, $9, $10, $11, $10, $10)`,
    [
      id,
      operatorId,
      accountId,
      key === null ? 'backfill' : 'request',
      key,
      status,
      isSettled ? null : '{}',
      isSettled ? `signature-${++signatures}` : null,
      isSettled ? signatures : null,
      at,
      isSettled ? at : null,
    ],
  );
}

const idOfRequest = (idempotencyKey: string, kind: OrderKind = 'transfer', operator = operatorId): Promise<string> =>
  tags.newId({ operatorId: operator, kind, idempotencyKey }, new Date());
/** The request for a transfer, with an id of its own. */
const requested = async (idempotencyKey: string): Promise<Order> =>
  anOrder({ id: await idOfRequest(idempotencyKey), operatorId, accountId, idempotencyKey, memo: 'note', requestHash: Buffer.from('hash') });

test('two ids of one request differ and have one tag; another operator, kind or key gives another tag', async () => {
  const [one, other] = [await idOfRequest('key'), await idOfRequest('key')];
  expect(one).not.toBe(other);
  expect(tagIn(one)).toBe(tagIn(other));
  const others = [await idOfRequest('key2'), await idOfRequest('key', 'session'), await idOfRequest('key', 'transfer', newId('op'))];
  expect(new Set([one, ...others].map(tagIn)).size).toBe(4);
});

test('the tags of another process on the same database are the same', async () => {
  expect(
    tagIn(await new OrderTags(new RequestTags(database)).newId({ operatorId, kind: 'transfer', idempotencyKey: 'k' }, new Date())),
  ).toBe(tagIn(await idOfRequest('k')));
});

test('the tags of another database, whose secret is another, are others', async () => {
  const other = await createMigratedDatabase();
  const source = createDataSource({ url: other.url, applicationName: 'lost orders test', entities: [] });
  await source.initialize();
  try {
    await source.query('UPDATE order_tag_secret SET secret = sha256(secret)');
    const id = await new OrderTags(new RequestTags(source)).newId({ operatorId, kind: 'transfer', idempotencyKey: 'k' }, new Date());
    expect(tagIn(id)).not.toBe(tagIn(await idOfRequest('k')));
  } finally {
    await source.destroy();
    await other.drop();
  }
});

test('a lost order is found by the tag of its request until its key is no longer kept', async () => {
  const lost = await idOfRequest('lost-1');
  await stored({ id: lost });
  await stored({ id: await idOfRequest('expired-1'), age: TTL_SECONDS + 1 });
  expect(await store.hasUnclaimed(operatorId)).toBe(true);
  expect((await store.unclaimed(await requested('lost-1')))?.id).toBe(lost);
  expect(await store.unclaimed(await requested('another-1'))).toBeUndefined();
  expect(await store.unclaimed(await requested('expired-1'))).toBeUndefined();
  expect(await store.hasUnclaimed(newId('op'))).toBe(false);
});

test('of several requests that claim a lost order at once one gets it, with its key and memo', async () => {
  const id = await idOfRequest('lost-2');
  await stored({ id });
  const request = await requested('lost-2');
  const lost = await store.unclaimed(request);
  if (!lost) throw new Error('the order is not found');
  const claims = await Promise.all([1, 2, 3].map(() => store.claim(lost, request, Buffer.from('salt'))));
  expect(claims.filter((claim) => claim !== undefined)).toMatchObject([{ id, idempotencyKey: 'lost-2', memo: 'note', status: 'settled' }]);
  expect(await store.unclaimed(request)).toBeUndefined();
});

test('a lost order takes its key over from one that failed, and not from one that may still land', async () => {
  for (const [key, status] of [
    ['held-1', 'failed'],
    ['held-2', 'created'],
  ] as const) {
    const id = await idOfRequest(key);
    await stored({ id });
    const holder = await idOfRequest(key);
    await stored({ id: holder, key, status: 'failed' });
    if (status === 'created')
      await database.query(`UPDATE orders SET status = 'created', failure = NULL, final_at = NULL WHERE id = $1`, [holder]);
    const request = await requested(key);
    const lost = await store.unclaimed(request);
    const claimed = lost && (await store.claim(lost, request, Buffer.from('salt')));
    expect(claimed?.id).toBe(status === 'failed' ? id : undefined);
  }
});
