import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import type { Failpoint } from '../../apps/api/src/runtime/failpoints';
import { api, type Api, type Body } from '../support/api';
import { eventually } from '../support/eventually';
import { newDatabase, newOperatorKey, settingsOf, startBeside } from '../support/operators';
import { PRICE, PurseStage } from '../support/purses';
import type { Service } from '../support/service';
import { anAccount, bodyOf, everyRow, micro, type TestAccount } from '../support/world';

jest.setTimeout(300_000);

let stage: PurseStage;
beforeAll(async () => void (stage = await PurseStage.start()));
afterAll(() => stage.stop());

const account = (): Promise<TestAccount> => anAccount({ usdc: '1', policy: { max_daily_spend: 1 }, by: stage.by });
const sum = (rows: Body[]): bigint => rows.reduce((total, { amount_usdc }) => total + micro(amount_usdc), 0n);

/** Another process on the same database. It does no background work. */
async function beside(variables: Record<string, string> = {}): Promise<{ process: Service; by: Api }> {
  const process = await startBeside(stage.service, {
    variables: { WORKER: 'apart', LEASE_MS: '1000', ALLOW_PRIVATE_URLS: 'true', ...variables },
  });
  return { process, by: api(process.baseUrl, stage.service.operatorKey) };
}

/** The account's ledger, the chain and its limit agree on what was spent, and nothing is reserved. */
async function isSettled(agent: TestAccount, spent: bigint): Promise<void> {
  expect([1_000_000n - (await stage.held(agent)), sum(await stage.history(agent))]).toEqual([spent, spent]);
  const usdc = `0.${spent.toString().padStart(6, '0')}`;
  expect(await stage.spending(agent)).toMatchObject({ spent_usdc: usdc, reserved_usdc: '0.000000' });
}

test('two processes pay out of one purse at once, and never above its amount', async () => {
  const agent = await account();
  const { process, by } = await beside();
  const purse = await stage.open(agent, '0.055');
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, index) => stage.pay(agent, { purse_id: purse.purse_id }, index % 2 === 0 ? by : stage.by)),
  );
  await process.stop();
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 402, 402, 402]);
  bodyOf(await stage.by.post(`/v1/purses/${purse.purse_id}/close`), 200);
  await isSettled(agent, 5n * PRICE);
});

test.each<Failpoint>(['purse.locked', 'transfer.inserted', 'transfer.submitted', 'transfer.landed'])(
  'a process killed at %s during an opening leaves one purse or none, and the same key opens it',
  async (point) => {
    const agent = await account();
    const { by } = await beside({ CRASH_AT: point, SETTLEMENT_WAIT_MS: '3000' });
    const request = stage.request(agent, '0.1');
    await expect(by.post('/v1/purses', request)).rejects.toThrow();
    const purse = await eventually(async () => bodyOf(await stage.by.post('/v1/purses', request), 201), { timeoutMs: 90_000 });
    expect(await everyRow(`/v1/purses?account_id=${agent.id}`, stage.by)).toHaveLength(1);
    bodyOf(await stage.pay(agent, { purse_id: purse.purse_id }), 200);
    bodyOf(await stage.by.post(`/v1/purses/${purse.purse_id}/close`), 200);
    await isSettled(agent, PRICE);
  },
);

test.each<[Failpoint, boolean]>([
  ['payment.asked', true],
  ['purse.authorized', false],
  ['payment.answered', true],
])('a process killed at %s leaves a payment of a purse that is paid once or not at all', async (point, isPaid) => {
  const agent = await account();
  const purse = await stage.open(agent, '0.1');
  const { by } = await beside({ CRASH_AT: point });
  const body = stage.order(agent, { purse_id: purse.purse_id });
  await expect(by.post('/v1/payments', body)).rejects.toThrow();
  await stage.expireCredentials();
  await eventually(async () => expect([200, 402]).toContain((await stage.by.post('/v1/payments', body)).status), { timeoutMs: 60_000 });
  expect((await stage.by.post('/v1/payments', body)).status).toBe(isPaid ? 200 : 402);
  await stage.payAfterExpiry(agent, { purse_id: purse.purse_id });
  bodyOf(await stage.by.post(`/v1/purses/${purse.purse_id}/close`), 200);
  await isSettled(agent, isPaid ? 2n * PRICE : PRICE);
});

test.each<Failpoint>(['purse.closing', 'purse.finished', 'purse.matched'])(
  'a purse whose close is killed at %s is closed once, with the exact sum, and its unknown payment is rejected',
  async (point) => {
    const agent = await account();
    const purse = await stage.open(agent, '0.1');
    bodyOf(await stage.pay(agent, { purse_id: purse.purse_id }), 200);
    const { payment_id } = bodyOf(await stage.pay(agent, { purse_id: purse.purse_id, url: `${stage.odd.url}/breaks` }), 202);
    const { by } = await beside({ CRASH_AT: point, SETTLEMENT_WAIT_MS: '3000' });
    await expect(by.post(`/v1/purses/${purse.purse_id}/close`)).rejects.toThrow();
    expect(await stage.closed(purse)).toMatchObject({ spent_usdc: '0.010000', returned_usdc: '0.090000' });
    expect(bodyOf(await stage.by.get(`/v1/payments/${payment_id}`), 200)).toMatchObject({ rejection_reason: 'provider_refused' });
    expect(await stage.events(agent, 'purse.closed')).toHaveLength(1);
    await isSettled(agent, PRICE);
  },
);

describe('after a restore', () => {
  let operatorKey: string;
  const start = (databaseUrl: string): Promise<Service> =>
    startBeside(stage.service, { operatorKey, variables: { DATABASE_URL: databaseUrl, LEASE_MS: '1000', ALLOW_PRIVATE_URLS: 'true' } });

  async function copyOf(databaseUrl: string): Promise<string> {
    const [original, copy] = [new URL(databaseUrl), new URL(databaseUrl)];
    copy.pathname = `${original.pathname}_restored`;
    const client = new Client({ connectionString: stage.service.sandbox.database_url });
    await client.connect();
    await client.query(`CREATE DATABASE ${copy.pathname.slice(1)} TEMPLATE ${original.pathname.slice(1)}`);
    await client.end();
    return copy.href;
  }

  /** Output of `npm run reconcile` on a database. */
  async function reconcile(databaseUrl: string): Promise<Body> {
    const file = join(__dirname, '..', '..', 'dist', 'apps', 'api', 'src', 'bin', 'reconcile.js');
    const env = { PATH: process.env.PATH, ...settingsOf(stage.service), DATABASE_URL: databaseUrl };
    return JSON.parse((await promisify(execFile)(process.execPath, [file], { env })).stdout) as Body;
  }

  test('a purse that the database lost is ended, and what it spent is recorded without a counterparty; so are lost payments of a known purse', async () => {
    const databaseUrl = await newDatabase(stage.service);
    operatorKey = await newOperatorKey(stage.service, databaseUrl);
    const first = await start(databaseUrl);
    let by = api(first.baseUrl, operatorKey);
    const [lost, known] = await Promise.all([1, 2].map(() => anAccount({ usdc: '1', policy: { max_daily_spend: 1 }, by })));
    if (!lost || !known) throw new Error('no accounts');
    const purse = bodyOf(await by.post('/v1/purses', stage.request(known, '0.1')), 201);
    bodyOf(await stage.pay(known, { purse_id: purse.purse_id }, by), 200);
    await first.kill('SIGTERM');
    const restoredUrl = await copyOf(databaseUrl);

    const second = await start(databaseUrl);
    by = api(second.baseUrl, operatorKey);
    const forgotten = bodyOf(await by.post('/v1/purses', stage.request(lost, '0.1')), 201);
    for (const _ of [1, 2, 3]) bodyOf(await stage.pay(lost, { purse_id: forgotten.purse_id }, by), 200);
    bodyOf(await stage.pay(known, { purse_id: purse.purse_id }, by), 200);
    await second.stop();

    expect(await reconcile(restoredUrl)).toMatchObject({ drifts: [], repaired: [forgotten.purse_id], unexplained: [] });
    const restored = await start(restoredUrl);
    by = api(restored.baseUrl, operatorKey);
    const transfers = async ({ id }: TestAccount): Promise<Body[]> =>
      (await everyRow(`/v1/accounts/${id}/transactions`, by)).filter(({ type }) => type === 'transfer');
    expect(bodyOf(await by.get(`/v1/purses/${forgotten.purse_id}`), 200)).toMatchObject({
      status: 'closed',
      spent_usdc: '0.030000',
      returned_usdc: '0.070000',
    });
    expect((await transfers(lost)).map(({ counterparty, amount_usdc }) => [counterparty, amount_usdc])).toEqual(
      Array(3).fill([null, '0.010000']),
    );
    expect(bodyOf(await by.post(`/v1/purses/${purse.purse_id}/close`), 200)).toMatchObject({ spent_usdc: '0.020000' });
    expect((await transfers(known)).map(({ counterparty }) => counterparty)).toEqual([null, stage.payee.address]);
    expect(await reconcile(restoredUrl)).toMatchObject({ drifts: [], repaired: [], unexplained: [] });
    bodyOf(await by.post('/v1/purses', stage.request(lost, '0.1')), 201);
    await restored.stop();
  });
});
