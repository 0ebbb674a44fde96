import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { createDataSource, newId, sql } from '#database';
import { createMigratedDatabase, type TestDatabase } from '../../../../../test/support/database';
import { insertFailedOrders } from '../../../../../test/support/many-orders';
import { AuditLog } from '../../audit';
import { OutboxService } from '../../events';
import { LedgerService } from '../../ledger';
import { Clock } from '../../runtime/clock';
import type { Config } from '../../runtime/config';
import { Order } from '../order.entity';
import { OrderInsertions, type SignedOrder } from './order-insertions';
import { MAX_UNRESOLVED_SPAN, NonceStore } from './nonce.store';
import { OrderStore } from './order.store';
import { insertAccount, insertOperator } from '../../../../../test/support/accounts';

jest.setTimeout(60_000);

const operatorId = newId('op');
let testDatabase: TestDatabase;
let database: DataSource;
let store: OrderStore;
let insertions: OrderInsertions;
let accountId: string;

beforeAll(async () => {
  testDatabase = await createMigratedDatabase();
  database = await createDataSource({ url: testDatabase.url, applicationName: 'order store test', entities: [Order] }).initialize();
  await insertOperator(database, operatorId);
});
beforeEach(async () => {
  insertions = someInsertions();
  accountId = newId('acct');
  await insertAccount(database, { id: accountId, operatorId });
});
afterAll(async () => {
  await database.destroy();
  await testDatabase.drop();
});

/** The insertions of a process. */
function someInsertions(of = database): OrderInsertions {
  const config = { LEASE_MS: 60_000, IDEMPOTENCY_TTL_SECONDS: 86_400 } as Config;
  const clock = new Clock();
  const outbox = new OutboxService(clock);
  store = new OrderStore(of, config, clock, outbox, new LedgerService(of, clock), {} as AuditLog);
  return new OrderInsertions(of, config, clock, outbox, store, new NonceStore(of, store));
}
const draft = (changes: Partial<Order> = {}): Order =>
  insertions.draft({
    id: newId('tr'),
    kind: 'transfer',
    operatorId,
    accountId,
    idempotencyKey: randomUUID(),
    requestHash: Buffer.from('hash'),
    recipient: 'to',
    destination: 'to',
    microUsdc: 1n,
    ...changes,
  });
const signed = (seq: bigint): SignedOrder => ({
  seq,
  transaction: { signature: randomUUID(), bytes: Buffer.from('bytes'), lastValidBlockHeight: 9, feeLamports: 10_000n },
});
const initiated = ({ id }: Order) => ({
  event: { operatorId, accountId, type: 'transfer.initiated' as const, data: { transfer_id: id } as never },
});
const insert = (order: Order, seq: bigint, of = insertions) => of.insertSigned(order, signed(seq), initiated(order));
const lease = async (of = insertions): Promise<bigint> => (await of.leaseNonce(accountId)) ?? -1n;
const count = async (table: string): Promise<number> =>
  Number(
    (
      await database.query(
        `SELECT count(*) FROM ${table} WHERE ${table === 'order_attempts' ? 'true' : 'account_id = $1'}`,
        table === 'order_attempts' ? [] : [accountId],
      )
    )[0].count,
  );
const setCounter = (seq: bigint) => database.query('UPDATE accounts SET next_seq = $2 WHERE id = $1', [accountId, seq.toString()]);

describe('insertSigned', () => {
  it('stores the order as submitted, its attempt and its event, and keeps the next nonce', async () => {
    const attempts = await count('order_attempts');
    const order = await insert(draft(), await lease());
    expect(order).toMatchObject({ status: 'submitted', seq: 1n });
    expect([(await count('order_attempts')) - attempts, await count('events')]).toEqual([1, 1]);
    expect(await lease()).toBe(2n);
    expect(await database.query('SELECT next_seq FROM accounts WHERE id = $1', [accountId])).toEqual([{ next_seq: '3' }]);
  });

  it('gives concurrent orders of several processes different nonces', async () => {
    const processes = [insertions, someInsertions(), someInsertions()];
    const place = async (of: OrderInsertions): Promise<bigint | null | undefined> => (await insert(draft(), await lease(of), of))?.seq;
    const placed: unknown[] = [];
    for (let round = 0; round < 3; round++)
      placed.push(...(await Promise.all(Array.from({ length: 24 }, (_, index) => place(processes[index % 3] ?? insertions)))));
    expect(new Set(placed).size).toBe(72);
    expect(placed).not.toContain(undefined);
    expect(await database.query('SELECT max(sequence) - count(*) AS gap FROM events WHERE account_id = $1', [accountId])).toEqual([
      { gap: '0' },
    ]);
  });

  it('stores nothing if the idempotency key is in use', async () => {
    const first = draft();
    await insert(first, await lease());
    const again = draft({ idempotencyKey: first.idempotencyKey });
    expect(await insert(again, await lease())).toBeUndefined();
    expect([await count('orders'), await count('events')]).toEqual([1, 1]);
    expect((await insertions.insert(again, true)).order.id).toBe(first.id);
  });

  it('stores an order once if its insertion is repeated after a lost answer', async () => {
    const [order, seq] = [draft(), await lease()];
    const transaction = signed(seq);
    await insertions.insertSigned(order, transaction, initiated(order));
    expect(
      await insertions.insertSigned(draft({ id: order.id, idempotencyKey: order.idempotencyKey }), transaction, initiated(order)),
    ).toBeUndefined();
    expect((await insertions.insert(draft({ id: order.id, idempotencyKey: order.idempotencyKey }), true)).order).toMatchObject({
      id: order.id,
      status: 'submitted',
      seq,
    });
    expect(await count('events')).toBe(1);
  });

  it('waits for no transition of the order that holds its key, which may wait for the account', async () => {
    const first = draft();
    await insert(first, await lease());
    const again = draft({ idempotencyKey: first.idempotencyKey });
    await database.transaction(async (transition) => {
      await transition.query(`UPDATE orders SET lease_until = now() WHERE id = $1`, [first.id]);
      expect(await insert(again, await lease())).toBeUndefined();
      expect((await insertions.insert(again, true)).order.id).toBe(first.id);
      await transition.query('UPDATE accounts SET observed_slot = 1 WHERE id = $1', [accountId]);
    });
  });

  it('takes a leased nonce up to the span below the counter, and not one that is older', async () => {
    const [old, older] = [await lease(), await lease(someInsertions())];
    await setCounter(old + BigInt(MAX_UNRESOLVED_SPAN) - 1n);
    expect(await insert(draft(), old)).toMatchObject({ seq: old });
    await setCounter(older + BigInt(MAX_UNRESOLVED_SPAN));
    expect(await insert(draft(), older)).toBeUndefined();
  });

  it('takes no nonce while the oldest unresolved one is a whole span below the counter', async () => {
    const first = await insert(draft(), await lease());
    await setCounter(BigInt(MAX_UNRESOLVED_SPAN) + 1n);
    expect(await insert(draft(), BigInt(MAX_UNRESOLVED_SPAN))).toBeUndefined();
    expect(await someInsertions().leaseNonce(accountId)).toBeUndefined();
    if (first) await store.fail(first, { code: 'conflict', message: '' });
    expect(await insert(draft(), BigInt(MAX_UNRESOLVED_SPAN))).toMatchObject({ status: 'submitted' });
  });

  it('takes no nonce at or above a counter that was set back', async () => {
    const seq = await lease();
    await setCounter(seq);
    expect(await insert(draft(), seq)).toBeUndefined();
  });

  it('fails a bad order of a batch alone', async () => {
    const [good, bad, other] = [draft(), draft({ microUsdc: -1n }), draft()];
    const seqs = [await lease(), await lease(someInsertions()), await lease(someInsertions())];
    const outcomes = await Promise.allSettled([good, bad, other].map((order, index) => insert(order, seqs[index] ?? 0n)));
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect([await count('orders'), await count('events')]).toEqual([2, 2]);
  });

  it('counts a refused order against its account once', async () => {
    const condition = sql`admit_order(${accountId}, ${new Date()}, ${'10'}, ${'100'}, ${null}, false)`;
    const order = draft();
    expect(await insertions.insertSigned(order, signed(77n), initiated(order), condition)).toBeUndefined();
    expect(await count('account_fees')).toBe(0);
    expect(await insertions.insertSigned(order, signed(await lease()), initiated(order), condition)).toBeDefined();
    expect(await database.query('SELECT lamports FROM account_fees WHERE account_id = $1', [accountId])).toEqual([{ lamports: '10' }]);
  });
});

describe('the statements of an order', () => {
  it('are planned once a connection, also among many orders', async () => {
    await insertFailedOrders(database, 5_000, operatorId, accountId);
    await database.query('ANALYZE orders');
    const one = await createDataSource({
      url: testDatabase.url,
      applicationName: 'one connection',
      entities: [Order],
      poolSize: 1,
    }).initialize();
    const own = someInsertions(one);
    for (let times = 0; times < 20; times++) {
      const order = draft();
      expect(await own.findByKey(order, order.idempotencyKey ?? '')).toBeUndefined();
      await insert(order, await lease(own), own);
      await store.settle(order, { signature: `landed ${order.id}`, slot: 1 }, new Date(), {});
    }
    // PostgreSQL makes a plan for the values of each of the first five runs, and then keeps one for all.
    expect(await one.query('SELECT statement FROM pg_prepared_statements WHERE custom_plans > 5')).toEqual([]);
    await one.destroy();
  });
});

describe('settle', () => {
  it('settles orders of one turn together, and one that is settled already writes nothing', async () => {
    const orders = [
      await insert(draft(), await lease()),
      await insert(draft(), await lease()),
      await insert(draft(), await lease()),
    ] as Order[];
    const settle = (order: Order) => store.settle(order, { signature: `landed ${order.id}`, slot: 1 }, new Date(), {});
    await settle(orders[0] as Order);
    expect((await Promise.all(orders.map(settle))).map((order) => order?.status)).toEqual([undefined, 'settled', 'settled']);
  });
});
