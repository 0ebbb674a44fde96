import { randomUUID } from 'node:crypto';
import { api, type Body } from '../support/api';
import { eventually } from '../support/eventually';
import { newDatabase, newOperatorKey, startBeside } from '../support/operators';
import { copyOf, reconcileAt } from '../support/restored';
import { RogueProvider } from '../support/rogue-provider';
import { sharedService, type Service } from '../support/service';
import { anAccount, chainBalance, everyRow, bodyOf, order, query, rpc, type TestAccount } from '../support/world';

jest.setTimeout(600_000);

let operatorKey: string;
const start = (databaseUrl: string, variables: Record<string, string> = {}): Promise<Service> =>
  startBeside(sharedService(), { operatorKey, variables: { DATABASE_URL: databaseUrl, LEASE_MS: '1000', ...variables } });

test('after a restore from before some transfers, no order is settled by another’s signature, and no nonce is used twice', async () => {
  const databaseUrl = await newDatabase(sharedService());
  operatorKey = await newOperatorKey(sharedService(), databaseUrl);

  const first = await start(databaseUrl, { CRASH_AT: 'transfer.signed' });
  const by = api(first.baseUrl, operatorKey);
  const [payer, payee] = [await anAccount({ usdc: '100', by }), await anAccount({ by })];
  const interrupted = order(payer, payee, '1');
  await by.post('/v1/transfers', interrupted).catch(() => undefined);
  await eventually(() => expect(() => process.kill(first.pid, 0)).toThrow());
  const restoredUrl = await copyOf(databaseUrl);

  // Orders that the restored database does not have.
  const second = await start(databaseUrl);
  const before = api(second.baseUrl, operatorKey);
  const forgotten = order(payer, payee, '10');
  const done = [interrupted, forgotten].map(async (each) => eventually(async () => bodyOf(await before.post('/v1/transfers', each), 200)));
  const [one, other] = (await Promise.all(done)) as [Body, Body];
  await second.stop();

  const restored = await start(restoredUrl);
  const after = api(restored.baseUrl, operatorKey);
  // The order in flight is found on chain; equal orders of another kind are not.
  expect(await eventually(async () => bodyOf(await after.post('/v1/transfers', interrupted), 200))).toMatchObject({
    tx_signature: one.tx_signature,
  });
  const equals = await Promise.all([order(payer, payee, '10'), order(payer, payee, '10')].map((each) => after.post('/v1/transfers', each)));
  const signatures = equals.map((answer) => bodyOf(answer, 200).tx_signature);
  expect(new Set([...signatures, one.tx_signature, other.tx_signature]).size).toBe(4);
  expect(await chainBalance(payee.tokenAccount)).toBe(31_000_000n);
  const spent = [
    ...(await query('SELECT seq FROM order_attempts', [], databaseUrl)),
    ...(await query(`SELECT seq FROM orders WHERE signature = ANY($1)`, [signatures], restoredUrl)),
  ];
  expect(new Set(spent.map(({ seq }) => seq)).size).toBe(4);
  await restored.stop();
});

test('after a restore from before some charges none is paid again, the ledger is completed, and no charge stays open', async () => {
  const databaseUrl = await newDatabase(sharedService());
  operatorKey = await newOperatorKey(sharedService(), databaseUrl);
  const first = await start(databaseUrl, { CRASH_AT: 'charge.approved', ALLOW_PRIVATE_URLS: 'true' });
  const by = api(first.baseUrl, operatorKey);
  const payer = (): Promise<TestAccount> => anAccount({ usdc: '1', policy: { max_daily_spend: 1 }, by });
  const [payee, unknown, interrupted, unrepeated, open, agent] = [
    await anAccount({ by }),
    await payer(),
    await payer(),
    await payer(),
    await payer(),
    await payer(),
  ];
  const provider = new RogueProvider(payee.address);
  provider.price = 10_000n;
  await provider.start();
  const broadcast = (transaction: string | undefined) => rpc('sendTransaction', [transaction, { encoding: 'base64' }]);
  const unpaid = provider.asks(() => provider.charge());
  provider.behave({ unpaid, paid: (response, paid) => void broadcast(paid.transaction).then(() => provider.serve(response, paid)) });
  const charge = ({ id }: TestAccount): Body => ({
    account_id: id,
    idempotency_key: randomUUID(),
    max_amount: '0.01',
    request: { method: 'GET', url: provider.url },
  });
  const given = [unknown, interrupted, unrepeated].map(charge);
  await by.post('/v1/payments', given[1]).catch(() => undefined);
  await eventually(() => expect(() => process.kill(first.pid, 0)).toThrow());
  const restoredUrl = await copyOf(databaseUrl);

  // Charges that the restored database does not have.
  const second = await start(databaseUrl, { ALLOW_PRIVATE_URLS: 'true' });
  const before = api(second.baseUrl, operatorKey);
  const paid: Body[] = await Promise.all(
    given.map((each) => eventually(async () => bodyOf(await before.post('/v1/payments', each), 200), { timeoutMs: 60_000 })),
  );
  // An agent that calls the provider itself.
  const challenges = [(await fetch(provider.url)).headers.get('www-authenticate')];
  const { request: _request, ...own } = { ...charge(agent), url: provider.url, challenges };
  const { header, authorization } = bodyOf(await before.post('/v1/payments/authorize', own), 200);
  expect((await fetch(provider.url, { headers: { [header]: authorization } })).status).toBe(200);
  provider.behave({ unpaid, paid: (response) => void response.destroy() });
  const kept = charge(open);
  bodyOf(await before.post('/v1/payments', kept), 202);
  const late = provider.payments[0]?.transaction;
  await second.stop();

  const restored = await start(restoredUrl, { ALLOW_PRIVATE_URLS: 'true' });
  const after = api(restored.baseUrl, operatorKey);
  provider.behave({ unpaid, paid: (response, { transaction }) => void broadcast(transaction).then(() => response.end()) });
  for (const index of [0, 1]) {
    const again = await eventually(async () => bodyOf(await after.post('/v1/payments', given[index]), 200), { timeoutMs: 60_000 });
    expect(again).toMatchObject({ status: 'paid_unreceipted', tx_signature: paid[index]?.tx_signature, amount_usdc: '0.010000' });
  }
  expect(provider.payments).toEqual([]);
  expect(await after.post('/v1/payments/authorize', own)).toMatchObject({
    status: 409,
    body: { error: 'conflict', status: 'paid_unreceipted' },
  });
  // An open charge is ended before the payment runs again, so that nothing of it can land any more.
  bodyOf(await after.post('/v1/payments', kept), 200);
  await broadcast(late).catch(() => undefined);
  expect(bodyOf(await after.get(`/v1/accounts/${open.id}/spending`), 200)).toMatchObject({
    spent_usdc: '0.010000',
    reserved_usdc: '0.000000',
  });
  const agreed = { drifts: [], unexplained: [], unreachable: [] };
  expect((await reconcileAt(restoredUrl)).report).toMatchObject({ ...agreed, repaired: [expect.stringMatching(/^chg_/)] });
  expect(await reconcileAt(restoredUrl)).toMatchObject({ status: 0, report: { ...agreed, repaired: [] } });
  for (const account of [unknown, interrupted, unrepeated, open, agent]) {
    const lines = (await everyRow(`/v1/accounts/${account.id}/transactions`, after)).filter(({ type }) => type !== 'deposit');
    expect(lines).toMatchObject([{ type: 'transfer', amount_usdc: '0.010000', counterparty: payee.address }]);
  }
  expect(await chainBalance(payee.tokenAccount)).toBe(50_000n);
  provider.stop();
  await restored.stop();
});
