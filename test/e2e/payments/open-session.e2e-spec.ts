import type { Answer, Body } from '../../support/api';
import { eventually } from '../../support/eventually';
import { ProviderStage } from '../../support/provider-stage';
import { anAccount, everyRow, bodyOf, operator, rpc, type TestAccount } from '../../support/world';

/** A validator without processor time has a slow clock. */
const CLOCK_WITHIN_MS = 50_000;
jest.setTimeout(90_000);

let stage: ProviderStage;
beforeAll(async () => void (stage = await ProviderStage.start(10_000n)));
beforeEach(() => stage.reset());
afterAll(() => stage.stop());

const pay = (account: TestAccount, more: Body = { open_session: { cap: '0.05' } }, headers: Record<string, string> = {}): Promise<Answer> =>
  operator().post('/v1/payments', stage.order(account, { max_amount: '1', ...more }), headers);
const open = (account: TestAccount, more: Body = {}): Promise<string> => stage.open(account, { cap: '0.05', ...more });
const sessionsOf = ({ id }: TestAccount): Promise<Body[]> => everyRow(`/v1/sessions?account_id=${id}`);
const inCategory = (category: string): string => stage.provider.session({ methodDetails: { category } });

describe('a payment with open_session', () => {
  test('uses the session that an earlier one opened, whatever cap it names', async () => {
    const account = await anAccount({ usdc: '1' });
    const first = bodyOf(await pay(account), 200);
    const second = bodyOf(await pay(account, { open_session: { cap: '900', expires_in_seconds: 3_600 } }), 200);
    expect(second.session_id).toBe(first.session_id);
    expect(await sessionsOf(account)).toMatchObject([{ running_total_usdc: '0.020000', cap_usdc: '0.050000' }]);
  });

  test('is forecast by a dry run to use the open session', async () => {
    const account = await anAccount({ usdc: '1' });
    await open(account);
    const forecast = bodyOf(await pay(account, { open_session: { cap: '900' } }, { 'Dry-Run': 'true' }), 200);
    expect(forecast).toMatchObject({ allowed: true, quotes: [{ method: 'voucher', chosen: true }] });
  });

  test('opens one session for equal calls at once, and another only when that is used up', async () => {
    const account = await anAccount({ usdc: '1' });
    const answers = await Promise.all(Array.from({ length: 7 }, () => pay(account)));
    expect(answers.map(({ status }) => status)).toEqual(Array(7).fill(200));
    const sessions = await sessionsOf(account);
    expect(sessions.map(({ running_total_usdc: total }) => total)).toEqual(['0.020000', '0.050000']);
  });

  test('opens another session where the open one leaves less than the price', async () => {
    const account = await anAccount({ usdc: '1' });
    const first = await open(account, { cap: '0.009999' });
    const { session_id } = bodyOf(await pay(account), 200);
    expect(session_id).not.toBe(first);
  });

  test('opens another session where the open one lives for less than 60 seconds', async () => {
    const account = await anAccount({ usdc: '1' });
    const first = await open(account, { expires_in_seconds: 60 });
    const { opened_at } = bodyOf(await operator().get(`/v1/sessions/${first}`), 200);
    await eventually(
      async () => {
        const now = Number(await rpc('getBlockTime', [await rpc('getSlot', [{ commitment: 'confirmed' }])]));
        expect(now * 1000).toBeGreaterThan(Date.parse(opened_at));
      },
      { timeoutMs: CLOCK_WITHIN_MS },
    );
    const { session_id } = bodyOf(await pay(account), 200);
    expect(session_id).not.toBe(first);
  });

  test('opens another session where the open one is for another category', async () => {
    const account = await anAccount({ usdc: '1' });
    const first = await open(account, { category: 'data' });
    const { session_id } = bodyOf(await pay(account), 200);
    expect(session_id).not.toBe(first);
  });

  test('whose cap is below the price is declined and opens nothing', async () => {
    const account = await anAccount({ usdc: '1' });
    const { status, body } = await pay(account, { open_session: { cap: '0.009999' } });
    expect([status, body.rejection_reason, await sessionsOf(account)]).toEqual([402, 'session_cap', []]);
  });
});

describe('a payment without session_id', () => {
  test('passes over an open session of another category, and says how to pay a provider that takes only sessions', async () => {
    const account = await anAccount({ usdc: '1' });
    await open(account, { category: 'data' });
    stage.provider.behave({ unpaid: stage.provider.asks(() => inCategory('search')) });
    const { status, body } = await pay(account, {});
    expect([status, body.rejection_reason]).toEqual([402, 'unsupported_method']);
    expect(body.message).toContain('open_session');
  });

  test('uses the older session where the newest is for another category or is used up', async () => {
    const account = await anAccount({ usdc: '1' });
    const right = await open(account, { category: 'search' });
    await open(account, { category: 'search', cap: '0.000001' });
    await open(account, { category: 'data' });
    stage.provider.behave({ unpaid: stage.provider.asks(() => inCategory('search')) });
    expect(bodyOf(await pay(account, {}), 200)).toMatchObject({ session_id: right, category: 'search' });
  });
});
