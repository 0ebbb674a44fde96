import { randomUUID } from 'node:crypto';
import type { Body } from '../../support/api';
import { eventually } from '../../support/eventually';
import { PurseStage } from '../../support/purses';
import { anAccount, bodyOf, eventsOf, fund, invalidFields, order, pay, setPolicy, type TestAccount } from '../../support/world';

jest.setTimeout(180_000);

const DAY_SECONDS = 86_400;

let stage: PurseStage;
beforeAll(async () => void (stage = await PurseStage.start()));
afterAll(() => stage.stop());

const funded = (policy?: Body): Promise<TestAccount> => anAccount({ usdc: '100', ...(policy && { policy }), by: stage.by });
const advance = (advance_seconds: number) => stage.by.post('/v1/sandbox/clock', { advance_seconds });
const spending = async ({ id }: TestAccount): Promise<Body> => bodyOf(await stage.by.get(`/v1/accounts/${id}/spending`), 200);
/** So many seconds from the chain's present time, in whole seconds. */
const within = async (account: TestAccount, seconds: number): Promise<string> =>
  new Date(Math.floor(Date.parse((await spending(account)).as_of) / 1000 + seconds) * 1000).toISOString();
const session = (account: TestAccount, cap: string, more: Body = {}): Body => ({
  account_id: account.id,
  provider: 'https://api.example.com',
  payee: stage.payee.address,
  cap,
  idempotency_key: randomUUID(),
  ...more,
});

test('PUT /v1/accounts/:id/policy sets and unsets the further rules, which are absent while unset', async () => {
  const account = await funded();
  const rules = {
    max_monthly_spend: 30,
    max_lifetime_spend: 300.5,
    valid_until: '2040-01-31T12:00:00.000Z',
    approval_above_daily_sum: 5,
  };
  expect(await setPolicy(account, { ...rules, valid_until: '2040-01-31T13:00:00+01:00' }, stage.by)).toMatchObject(rules);
  const unset = Object.fromEntries(Object.keys(rules).map((name) => [name, null]));
  const dry = bodyOf(await stage.by.put(`/v1/accounts/${account.id}/policy`, unset, { 'Dry-Run': 'true' }), 200);
  expect(dry.changes).toEqual([
    'The limit in any 30 days changes from 30 USDC to none.',
    'The limit of all that is ever spent changes from 300.5 USDC to none.',
    'The sum of 24 hours above which an operator must approve changes from 5 USDC to none.',
    'The policy no longer ends.',
  ]);
  const after = await setPolicy(account, unset, stage.by);
  for (const name of Object.keys(rules)) expect(after).not.toHaveProperty(name);
  for (const bad of ['soon', '2040-01-31T12:00:00.5Z', '2040-02-31T12:00:00Z', 5])
    expect(invalidFields(await stage.by.put(`/v1/accounts/${account.id}/policy`, { valid_until: bad }))).toEqual(['valid_until']);
});

test.each([
  ['max_monthly_spend', 'monthly'],
  ['max_lifetime_spend', 'lifetime'],
])('%s declines one micro-USDC more than it leaves, and GET spending shows it as %s', async (rule, member) => {
  const account = await funded({ [rule]: 10, max_daily_spend: 50 });
  bodyOf(await pay(account, stage.payee, '4', {}, stage.by), 200);
  bodyOf(await stage.by.post('/v1/sessions', session(account, '1')), 201);
  expect((await spending(account))[member]).toEqual({ limit_usdc: '10.000000', spent_usdc: '4.000000', remaining_usdc: '5.000000' });
  const declined = await pay(account, stage.payee, '5.000001', {}, stage.by);
  const policy = { rule, scope: 'account', limit_usdc: '10.000000', attempted_usdc: '5.000001', remaining_usdc: '5.000000' };
  expect(declined).toMatchObject({ status: 402, body: { rejection_reason: rule, policy: { ...policy, reserved_usdc: '1.000000' } } });
  expect(typeof declined.body.policy.available_at).toBe(rule === 'max_monthly_spend' ? 'string' : 'undefined');
  const dry = await stage.by.post('/v1/transfers', order(account, stage.payee, '5.000001'), { 'Dry-Run': 'true' });
  expect(dry.body.decline).toMatchObject({ policy });
  expect((await stage.by.post('/v1/sessions', session(account, '5.000001'))).body.rejection_reason).toBe(rule);
  bodyOf(await pay(account, stage.payee, '5', {}, stage.by), 200);
});

test('max_monthly_spend releases an amount after 31 days, max_lifetime_spend never', async () => {
  const [monthly, lifetime] = [await funded({ max_monthly_spend: 10 }), await funded({ max_lifetime_spend: 10 })];
  for (const each of [monthly, lifetime]) bodyOf(await pay(each, stage.payee, '10', {}, stage.by), 200);
  await advance(29 * DAY_SECONDS);
  bodyOf(await pay(monthly, stage.payee, '0.000001', {}, stage.by), 402);
  await advance(2 * DAY_SECONDS);
  bodyOf(await pay(monthly, stage.payee, '10', {}, stage.by), 200);
  bodyOf(await pay(lifetime, stage.payee, '0.000001', {}, stage.by), 402);
});

test('approval_above_daily_sum waits at one micro-USDC more than the sum, counts what was approved and reserved, and not what waits', async () => {
  const account = await funded({ approval_above_daily_sum: 10 });
  bodyOf(await pay(account, stage.payee, '4', {}, stage.by), 200);
  bodyOf(await stage.by.post('/v1/sessions', session(account, '1')), 201);
  const waiting = bodyOf(await pay(account, stage.payee, '5.000001', {}, stage.by), 202);
  expect(waiting.status).toBe('pending_approval');
  bodyOf(await pay(account, stage.payee, '5', {}, stage.by), 200);
  expect(bodyOf(await stage.by.post('/v1/sessions', session(account, '0.1')), 202).status).toBe('pending_approval');
  bodyOf(await stage.by.post(`/v1/transfers/${waiting.transfer_id}/approve`), 200);
  expect((await eventsOf(account, stage.service.sandbox.database_url)).map(([type]) => type)).toContain('escalation.required');
  expect((await stage.pay(account)).body).toMatchObject({ rejection_reason: 'approval_above_daily_sum' });
});

test('of ten transfers at once, those that the chain refuses above approval_above_daily_sum wait for an approval', async () => {
  const account = await funded({ approval_above_daily_sum: 5 });
  const answers = await Promise.all(Array.from({ length: 10 }, () => pay(account, stage.payee, '1', {}, stage.by)));
  expect(answers.map(({ body }) => body.status).sort()).toEqual([
    ...Array.from({ length: 5 }, () => 'pending_approval'),
    ...Array.from({ length: 5 }, () => 'settled'),
  ]);
  const waiting = answers.filter(({ body }) => body.status === 'pending_approval').map(({ body }) => body.transfer_id);
  for (const id of waiting) bodyOf(await stage.by.post(`/v1/transfers/${id}/approve`), 200);
  expect((await spending(account)).balance_usdc).toBe('90.000000');
});

test('valid_until stops transfers and openings from its second on, shortens openings, and ends a purse', async () => {
  const account = await funded();
  const purse = await stage.open(account, '1', { expires_in_seconds: 900 });
  const valid_until = await within(account, 300);
  await setPolicy(account, { valid_until }, stage.by);
  const explicit = await stage.by.post('/v1/sessions', session(account, '1', { expires_in_seconds: 600 }));
  expect(explicit).toMatchObject({ status: 402, body: { rejection_reason: 'valid_until', policy: { scope: 'account' } } });
  const shortened = bodyOf(await stage.by.post('/v1/sessions', session(account, '1')), 201);
  expect(Date.parse(shortened.expires_at)).toBeLessThanOrEqual(Date.parse(valid_until));
  bodyOf(await stage.pay(account, { purse_id: purse.purse_id }), 200);
  bodyOf(await pay(account, stage.payee, '1', {}, stage.by), 200);
  await advance(300);
  // 409 once the service ends the purse.
  const { status, body } = await stage.pay(account, { purse_id: purse.purse_id });
  expect([
    [402, 'valid_until'],
    [409, undefined],
  ]).toContainEqual([status, body.rejection_reason]);
  expect((await pay(account, stage.payee, '1', {}, stage.by)).body.rejection_reason).toBe('valid_until');
  expect((await stage.by.post('/v1/sessions', session(account, '1'))).body.rejection_reason).toBe('valid_until');
  await stage.closed(purse);
  const closed = bodyOf(await stage.by.post(`/v1/sessions/${shortened.session_id}/close`), 200);
  expect(closed).toMatchObject({ status: 'settled', returned_usdc: '1.000000' });
});

test('a valid_until in the past stops at once, and a request with less than 60 seconds left is declined', async () => {
  const account = await funded();
  await setPolicy(account, { valid_until: await within(account, 50) }, stage.by);
  expect((await stage.by.post('/v1/purses', stage.request(account, '1'))).body.rejection_reason).toBe('valid_until');
  await setPolicy(account, { valid_until: '2020-01-01T00:00:00Z' }, stage.by);
  expect((await pay(account, stage.payee, '1', {}, stage.by)).body.rejection_reason).toBe('valid_until');
  await fund(account, '1', stage.by);
  await setPolicy(account, { valid_until: null }, stage.by);
  await eventually(async () => void bodyOf(await pay(account, stage.payee, '1', {}, stage.by), 200));
});
