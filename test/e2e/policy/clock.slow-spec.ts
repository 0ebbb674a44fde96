import { readFileSync, readdirSync } from 'node:fs';
import bs58 from 'bs58';
import { api, type Api } from '../../support/api';
import { Service, startService } from '../../support/service';
import { TIME, anAccount, balanceOf, bodyOf, invalidFields, order, pay, setPolicy, type TestAccount } from '../../support/world';

jest.setTimeout(60_000);

const BUCKET_SECONDS = 900;
const DAY_SECONDS = 86_400;
/** For a hang: calls to a chain that has ended fail at once. */
const HANG_MS = 20_000;

let service: Service;
let operator: Api;
beforeAll(async () => {
  service = await startService();
  operator = api(service.baseUrl, service.operatorKey);
});
afterAll(() => service.stop());

const advance = async (advance_seconds: number): Promise<number> =>
  Date.parse(bodyOf(await operator.post('/v1/sandbox/clock', { advance_seconds }), 200).now) / 1000;
const spendingOf = async ({ id }: TestAccount) => bodyOf(await operator.get(`/v1/accounts/${id}/spending`), 200);
const chainNow = async (account: TestAccount): Promise<number> => Date.parse((await spendingOf(account)).as_of) / 1000;

describe('POST /v1/sandbox/clock', () => {
  test.each<[object, string]>([
    [{}, 'advance_seconds'],
    ...[0, -1, 1.5, 31_536_001, '1', null, true, [1]].map((advance_seconds): [object, string] => [{ advance_seconds }, 'advance_seconds']),
    [{ advance_seconds: 1, back: true }, 'back'],
  ])('POST /v1/sandbox/clock rejects %j and names the field', async (body, field) =>
    expect(invalidFields(await operator.post('/v1/sandbox/clock', body))).toEqual([field]),
  );

  test('POST /v1/sandbox/clock moves the clock forward by up to a year and returns its time', async () => {
    const account = await anAccount({ by: operator });
    const before = await chainNow(account);
    const { now } = bodyOf(await operator.post('/v1/sandbox/clock', { advance_seconds: 100 }), 200);
    expect(now).toMatch(TIME);
    expect(Date.parse(now) / 1000 - before).toBeGreaterThanOrEqual(100);
    expect(Date.parse(now) / 1000 - before).toBeLessThan(110);
    expect((await advance(31_536_000)) - Date.parse(now) / 1000).toBeGreaterThanOrEqual(31_536_000);
  });

  test('POST /v1/sandbox/clock does not change the service’s own times', async () => {
    const { created_at } = bodyOf(await operator.post('/v1/accounts', { name: 'a' }), 201);
    expect(Math.abs(Date.parse(created_at) - Date.now())).toBeLessThan(60_000);
  });
});

describe('max_daily_spend over 24 hours', () => {
  test('max_daily_spend counts an amount until the last second of its bucket 24 hours later, and releases it in the next', async () => {
    const [a, b] = [await anAccount({ usdc: '100', policy: { max_daily_spend: 10 }, by: operator }), await anAccount({ by: operator })];
    bodyOf(await pay(a, b, '10', {}, operator), 200);
    const { releases, as_of } = await spendingOf(a);
    expect(releases).toEqual([{ at: expect.stringMatching(TIME), amount_usdc: '10.000000' }]);
    const releaseAt = Date.parse(releases[0].at) / 1000;
    const [least, most] = [Date.parse(as_of) / 1000 + DAY_SECONDS - 10, Date.parse(as_of) / 1000 + DAY_SECONDS + BUCKET_SECONDS + 1];
    expect(releaseAt >= least && releaseAt <= most).toBe(true);
    const refused = await pay(a, b, '0.000001', {}, operator);
    expect(refused.body.policy).toMatchObject({ rule: 'max_daily_spend', available_at: releases[0].at, remaining_usdc: '0.000000' });

    // Leaves a few seconds for a slow machine.
    await advance(Math.floor(releaseAt - (await chainNow(a)) - 5));
    const early = await pay(a, b, '0.000001', {}, operator);
    expect([early.status, (await chainNow(a)) < releaseAt]).toEqual([402, true]);
    await advance(Math.max(1, Math.ceil(releaseAt - (await chainNow(a)))));
    expect(await spendingOf(a)).toMatchObject({ remaining_usdc: '10.000000', spent_usdc: '0.000000', releases: [] });
    bodyOf(await pay(a, b, '10', {}, operator), 200);
    expect(await balanceOf(b, operator)).toBe('20.000000');
  });

  test('max_daily_spend releases amounts one by one, each 24 hours after it was spent', async () => {
    const [a, b] = [await anAccount({ usdc: '100', policy: { max_daily_spend: 10 }, by: operator }), await anAccount({ by: operator })];
    bodyOf(await pay(a, b, '4', {}, operator), 200);
    await advance(12 * 3600);
    bodyOf(await pay(a, b, '6', {}, operator), 200);
    await advance(12 * 3600 + BUCKET_SECONDS);
    bodyOf(await pay(a, b, '4.000001', {}, operator), 402);
    bodyOf(await pay(a, b, '4', {}, operator), 200);
    expect((await spendingOf(a)).releases.map(({ amount_usdc }: { amount_usdc: string }) => amount_usdc)).toEqual(['6.000000', '4.000000']);
    await advance(12 * 3600);
    expect((await spendingOf(a)).remaining_usdc).toBe('6.000000');
  });

  test('max_daily_spend counts amounts spent before it was set, and releases them after 24 hours', async () => {
    const [a, b] = [await anAccount({ usdc: '100', by: operator }), await anAccount({ by: operator })];
    bodyOf(await pay(a, b, '30', {}, operator), 200);
    await setPolicy(a, { max_daily_spend: 30 }, operator);
    bodyOf(await pay(a, b, '0.000001', {}, operator), 402);
    await advance(DAY_SECONDS + BUCKET_SECONDS);
    bodyOf(await pay(a, b, '30', {}, operator), 200);
  });
});

test('a transfer with the longest lists after almost a day stays within its compute unit limit', async () => {
  const [a, b] = [await anAccount({ usdc: '100', by: operator }), await anAccount({ by: operator })];
  const allowed_counterparties = [
    ...Array.from({ length: 127 }, (_, index) => bs58.encode(Buffer.from(`${index}`.padStart(32, 'counterparty')))),
    b.id,
  ];
  const categories = Array.from({ length: 32 }, (_, index) => `category-${index}`);
  await setPolicy(
    a,
    { allowed_counterparties, categories, require_memo: true, max_single_transfer: 50, max_daily_spend: 50, escalation_threshold: 45 },
    operator,
  );
  const more = { category: 'category-31', memo: 'm' };
  for (const quarters of [95, 96, 97, 300, 48]) {
    bodyOf(await pay(a, b, '0.1', more, operator), 200);
    await advance(quarters * BUCKET_SECONDS);
    expect((await pay(a, b, '49.99', more, operator)).status).toBe(quarters > 96 ? 202 : 402);
    expect((await spendingOf(a)).limit_usdc).toBe('50.000000');
    bodyOf(await pay(a, b, '0.1', more, operator), 200);
  }
});

test('after the embedded chain dies, requests that need it answer 503, and succeed once after a restart', async () => {
  const [a, b] = [await anAccount({ usdc: '5', by: operator }), await anAccount({ by: operator })];
  bodyOf(await operator.get(`/v1/accounts/${a.id}`), 200);
  const given = order(a, b, '2');
  process.kill(chainOf(service.dataDir), 'SIGKILL');
  const began = Date.now();
  for (const { status, body } of await Promise.all([
    operator.post('/v1/transfers', given),
    operator.get(`/v1/accounts/${a.id}`),
    operator.get(`/v1/accounts/${a.id}/balance`),
  ])) {
    expect([status, body.error]).toEqual([503, 'chain_unavailable']);
  }
  expect(Date.now() - began).toBeLessThan(HANG_MS);
  expect(bodyOf(await operator.get('/v1/accounts?limit=2'), 200).data[1]).toMatchObject({
    account_id: a.id,
    balance_usdc: '5.000000',
    balance_as_of: expect.stringMatching(TIME),
  });
  await service.restart();
  operator = api(service.baseUrl, service.operatorKey);
  bodyOf(await operator.post('/v1/transfers', given), 200);
  expect([await balanceOf(a, operator), await balanceOf(b, operator)]).toEqual(['3.000000', '2.000000']);
});

/** The process of the embedded chain under a data directory. */
function chainOf(dataDir: string): number {
  const isChain = (pid: string): boolean => {
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      return words.includes(`${dataDir}/chain`) && words.includes('server.js');
    } catch {
      return false;
    }
  };
  const pid = readdirSync('/proc').find((name) => /^\d+$/.test(name) && isChain(name));
  if (pid === undefined) throw new Error('There is no chain to kill.');
  return Number(pid);
}
