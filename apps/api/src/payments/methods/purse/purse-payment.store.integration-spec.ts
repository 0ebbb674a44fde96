import { newId } from '#database';
import { startApp, type TestApp } from '../../../../../../test/support/app';
import { OutboxService } from '../../../events';
import { LedgerService } from '../../../ledger';
import { type Purse, PurseStore } from '../../../purses';
import type { Quote } from '../payment-method';
import { Payment } from '../../payment.entity';
import { PaymentStore } from '../../payment.store';
import { PursePaymentStore } from './purse-payment.store';

jest.setTimeout(60_000);

const PRICE = 10_000n;
const FITTING = 300;

let service: TestApp;
/** The stores of two processes. */
let store: PursePaymentStore;
let other: PursePaymentStore;
let purses: PurseStore;
let payments: PaymentStore;

beforeAll(async () => {
  service = await startApp();
  const { database, config, clock } = service;
  // The purses of these tests have no order, and a deadlock is a hang.
  await database.query('ALTER TABLE purses DROP CONSTRAINT purses_order_fkey');
  await database.query(`ALTER DATABASE ${database.driver.database} SET deadlock_timeout = '1h'`);
  await database.query(
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
  );
  const [outbox, ledger] = [service.app.get(OutboxService), new LedgerService(database, clock)];
  purses = new PurseStore(database, config, clock, outbox, ledger);
  const process = (): PursePaymentStore =>
    new PursePaymentStore(database, clock, outbox, ledger, new PaymentStore(database, clock, ledger, outbox, config));
  payments = new PaymentStore(database, clock, ledger, outbox, config);
  [store, other] = [process(), process()];
});
afterAll(() => service.close());

async function aPurse(): Promise<Purse> {
  const [id, accountId, now] = [newId('purse'), await service.insertAccount(), service.clock.now()];
  await service.database.query(
    `INSERT INTO purses (id, operator_id, account_id, micro_usdc, expires_in_seconds, delegate_key, status, seq, open_signature, created_at, opened_at, expires_at)
     VALUES ($1, $2, $3, $4, 900, 'key', 'open', 1, $1, $5, $5, $5)`,
    [id, service.operatorId, accountId, (PRICE * BigInt(FITTING)).toString(), now],
  );
  return purses.find(id);
}

async function aPayment({ id: purseId, operatorId, accountId }: Purse): Promise<Payment> {
  const id = newId('pay');
  await service.database.query(
    `INSERT INTO payments (id, operator_id, account_id, idempotency_key, request_hash, mode, max_micro_usdc, provider, status, created_at, lease_until, purse_id)
     VALUES ($1, $2, $3, $1, '', 'pay', $4, 'https://seller.example.com', 'created', $5, $5, $6)`,
    [id, operatorId, accountId, PRICE.toString(), service.clock.now(), purseId],
  );
  return payments.find(id);
}

const authorize = (payment: Payment, purse: Purse, by = store): Promise<Payment | undefined> =>
  by.authorize(payment, purse, { microUsdc: PRICE, payee: 'payee', category: null } as Quote, {
    credentialSealed: 'sealed',
    delegateSignature: payment.id,
    lastValidBlockHeight: 1,
  });
const settle = (payment: Payment, purse: Purse, by = store): Promise<Payment | undefined> =>
  by.settle(payment, purse, { signature: payment.id, slot: 7, microUsdc: PRICE });
const amounts = async ({ id }: Purse): Promise<bigint[]> => {
  const { committedMicroUsdc, spentMicroUsdc } = await purses.find(id);
  return [committedMicroUsdc, spentMicroUsdc];
};

/** Does some work `times` times, by some workers at once. */
async function atOnce(workers: number, times: number, work: () => Promise<void>): Promise<void> {
  let left = times;
  await Promise.all(
    Array.from({ length: workers }, async () => {
      while (left-- > 0) await work();
    }),
  );
}

test('payments at once commit no more than the purse has, and each is spent once although two processes store it, without a deadlock', async () => {
  const purse = await aPurse();
  const settled: number[] = [];
  await atOnce(8, FITTING + 20, async () => {
    const payment = await aPayment(purse);
    const [mine, theirs] = await Promise.all([authorize(payment, purse), authorize(payment, purse, other)]);
    const authorized = mine ?? theirs;
    if (!authorized) return;
    const both = await Promise.all([settle(authorized, purse), settle(authorized, purse, other)]);
    settled.push(both.filter((payment) => payment !== undefined).length);
  });
  expect([settled.length, new Set(settled)]).toEqual([FITTING, new Set([1])]);
  expect(await amounts(purse)).toEqual([PRICE * BigInt(FITTING), PRICE * BigInt(FITTING)]);
});

test('a payment that another process took up commits nothing', async () => {
  const [purse, unused] = [await aPurse(), await aPurse()];
  const payment = await aPayment(purse);
  expect(await authorize(payment, purse)).toMatchObject({ status: 'unknown', purseId: purse.id });
  expect(await authorize(payment, unused, other)).toBeUndefined();
  expect(await amounts(unused)).toEqual([0n, 0n]);
});

test('a payment that is found to have landed after the purse was closed is settled, and the purse has spent no more', async () => {
  const purse = await aPurse();
  const payment = await aPayment(purse);
  await authorize(payment, purse);
  await service.database.query(
    `UPDATE purses SET status = 'closed', end_signature = 'end', closed_at = now(), spent_micro_usdc = $2, returned_micro_usdc = micro_usdc - $2 WHERE id = $1`,
    [purse.id, PRICE.toString()],
  );
  expect(await settle(payment, purse)).toMatchObject({ status: 'paid_unreceipted', signature: payment.id });
  expect((await amounts(purse))[1]).toBe(PRICE);
});
