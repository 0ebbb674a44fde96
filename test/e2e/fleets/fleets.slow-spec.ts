import { randomUUID } from 'node:crypto';
import { api, type Body } from '../../support/api';
import { eventually } from '../../support/eventually';
import { PurseStage } from '../../support/purses';
import { anAccount, bodyOf, fund, invalidFields, pay, query, setPolicy, type TestAccount } from '../../support/world';

jest.setTimeout(180_000);

let stage: PurseStage;
beforeAll(async () => void (stage = await PurseStage.start()));
afterAll(() => stage.stop());

const aFleet = async (more: Body = {}): Promise<Body> => bodyOf(await stage.by.post('/v1/fleets', { name: 'crawlers', ...more }), 201);
const show = async ({ fleet_id }: Body): Promise<Body> => bodyOf(await stage.by.get(`/v1/fleets/${fleet_id}`), 200);
/** An account that is created in a fleet, with 100 USDC. */
async function aMember({ fleet_id }: Body, policy?: Body): Promise<TestAccount> {
  const body = bodyOf(await stage.by.post('/v1/accounts', { name: 'member', fleet_id }), 201);
  const account = { id: body.account_id, address: body.chain_address, tokenAccount: body.usdc_token_account, handle: body.handle };
  await fund(account, '100', stage.by);
  if (policy) await setPolicy(account, policy, stage.by);
  return account;
}
const put = ({ id }: { id: string }, fleet_id: string | null) => stage.by.put(`/v1/accounts/${id}/fleet`, { fleet_id });
const send = (from: TestAccount, amount: string) => pay(from, stage.payee, amount, {}, stage.by);
const session = (account: TestAccount, cap: string): Body => ({
  account_id: account.id,
  provider: 'https://api.example.com',
  payee: stage.payee.address,
  cap,
  idempotency_key: randomUUID(),
});
const events = async ({ fleet_id }: Body): Promise<Body[]> =>
  query(
    'SELECT type, data, sequence FROM events WHERE fleet_id = $1 AND account_id IS NULL ORDER BY sequence',
    [fleet_id],
    stage.service.sandbox.database_url,
  );

test('POST /v1/fleets creates a fleet with policy and limits, once per Idempotency-Key', async () => {
  const wanted = { name: 'a', policy: { max_single_transfer: 5 }, limits: { max_daily_spend: 20 }, metadata: { team: 'x' } };
  const created = await stage.by.post('/v1/fleets', wanted, { 'Idempotency-Key': 'fleet-1' });
  const fleet = bodyOf(created, 201);
  expect(fleet).toMatchObject({
    fleet_id: expect.stringMatching(/^flt_/),
    name: 'a',
    status: 'active',
    policy: { max_single_transfer: 5, max_daily_spend: null },
    limits: { max_daily_spend: 20, max_monthly_spend: null, max_lifetime_spend: null },
    members: 0,
    spent_usdc: '0.000000',
    reserved_usdc: '0.000000',
    available_usdc: '20.000000',
    metadata: { team: 'x' },
  });
  const again = await stage.by.post('/v1/fleets', wanted, { 'Idempotency-Key': 'fleet-1' });
  expect([bodyOf(again, 201).fleet_id, again.headers.get('idempotent-replayed')]).toEqual([fleet.fleet_id, 'true']);
  expect((await stage.by.post('/v1/fleets', { name: 'b' }, { 'Idempotency-Key': 'fleet-1' })).status).toBe(409);
  expect(bodyOf(await stage.by.get('/v1/fleets'), 200).data.map((each: Body) => each.fleet_id)).toContain(fleet.fleet_id);
  expect(bodyOf(await stage.by.patch(`/v1/fleets/${fleet.fleet_id}`, { name: 'c' }), 200)).toMatchObject({ name: 'c' });
});

test('the limits of a fleet bind all members together, at the limit and one micro-USDC over, with scope fleet_limits', async () => {
  const fleet = await aFleet({ limits: { max_daily_spend: 10 } });
  const [a, b] = [await aMember(fleet), await aMember(fleet)];
  bodyOf(await send(a, '6'), 200);
  bodyOf(await stage.by.post('/v1/sessions', session(b, '1')), 201);
  const declined = await send(b, '3.000001');
  expect(declined).toMatchObject({
    status: 402,
    body: {
      rejection_reason: 'max_daily_spend',
      policy: {
        rule: 'max_daily_spend',
        scope: 'fleet_limits',
        fleet_id: fleet.fleet_id,
        limit_usdc: '10.000000',
        remaining_usdc: '3.000000',
        reserved_usdc: '1.000000',
        version: 1,
        available_at: expect.any(String),
      },
    },
  });
  expect(await show(fleet)).toMatchObject({ members: 2, spent_usdc: '6.000000', reserved_usdc: '1.000000', available_usdc: '3.000000' });
  bodyOf(await send(b, '3'), 200);
  const spending = bodyOf(await stage.by.get(`/v1/accounts/${a.id}/spending`), 200);
  expect(spending).toMatchObject({ policy_version: 0, fleet: { fleet_id: fleet.fleet_id, remaining_usdc: '0.000000' } });
  const limits = bodyOf(await stage.by.put(`/v1/fleets/${fleet.fleet_id}/limits`, { max_daily_spend: 11 }, { 'If-Match': '"1"' }), 200);
  expect(limits).toMatchObject({ max_daily_spend: 11, version: 2 });
  expect((await stage.by.put(`/v1/fleets/${fleet.fleet_id}/limits`, { max_daily_spend: 12 }, { 'If-Match': '"1"' })).status).toBe(412);
  bodyOf(await send(a, '1'), 200);
});

test('twenty transfers at once of members never exceed the fleet’s limits', async () => {
  const fleet = await aFleet({ limits: { max_lifetime_spend: 10 } });
  const members = [await aMember(fleet), await aMember(fleet)];
  const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => send(members[index % 2] as TestAccount, '1')));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
  expect(await show(fleet)).toMatchObject({ spent_usdc: '10.000000', available_usdc: '0.000000' });
});

test('a fleet’s policy binds each member by itself, after the account’s own', async () => {
  const fleet = await aFleet({ policy: { max_single_transfer: 5, escalation_threshold: 4 } });
  const [plain, strict] = [await aMember(fleet), await aMember(fleet, { max_single_transfer: 2 })];
  expect((await send(plain, '5.000001')).body.policy).toMatchObject({
    rule: 'max_single_transfer',
    scope: 'fleet',
    limit_usdc: '5.000000',
  });
  expect((await send(strict, '3')).body.policy).toMatchObject({ rule: 'max_single_transfer', scope: 'account', limit_usdc: '2.000000' });
  const waiting = bodyOf(await send(plain, '4'), 202);
  bodyOf(await stage.by.post(`/v1/transfers/${waiting.transfer_id}/approve`), 200);
  expect(bodyOf(await stage.by.get(`/v1/accounts/${strict.id}/policy`), 200)).toMatchObject({
    version: 1,
    max_single_transfer: 2,
    fleet: { fleet_id: fleet.fleet_id, policy: { max_single_transfer: 5 } },
  });
  expect((await stage.by.delete(`/v1/accounts/${strict.id}/policy`)).status).toBe(204);
  expect(bodyOf(await stage.by.get(`/v1/accounts/${strict.id}/policy`), 200)).toMatchObject({ version: 0, max_single_transfer: null });
  bodyOf(await send(strict, '3'), 200);
});

test('PUT /v1/accounts/:id/fleet joins, moves and leaves; 409 while amounts are reserved', async () => {
  const [one, other] = [await aFleet(), await aFleet()];
  const account = await anAccount({ usdc: '10', by: stage.by });
  expect(invalidFields(await put(account, 'flt_unknown'))).toEqual(['fleet_id']);
  expect(bodyOf(await put(account, one.fleet_id), 200).fleet_id).toBe(one.fleet_id);
  expect(bodyOf(await put(account, one.fleet_id), 200).fleet_id).toBe(one.fleet_id);
  bodyOf(await send(account, '1'), 200);
  const opened = bodyOf(await stage.by.post('/v1/sessions', session(account, '1')), 201);
  expect((await put(account, other.fleet_id)).status).toBe(409);
  expect((await put(account, null)).status).toBe(409);
  bodyOf(await stage.by.post(`/v1/sessions/${opened.session_id}/close`), 200);
  expect(bodyOf(await put(account, other.fleet_id), 200).fleet_id).toBe(other.fleet_id);
  expect((await stage.by.delete(`/v1/accounts/${account.id}/policy`)).status).toBe(204);
  const left = bodyOf(await put(account, null), 200);
  expect(left).toMatchObject({ fleet_id: null, status: 'paused' });
  expect((await stage.by.delete(`/v1/accounts/${account.id}/policy`)).status).toBe(409);
  expect(await show(one)).toMatchObject({ members: 0, spent_usdc: '1.000000' });
  expect((await events(one)).map(({ type }) => type)).toEqual(['fleet.member_joined', 'fleet.member_left']);
  expect(bodyOf(await stage.by.post(`/v1/fleets/${other.fleet_id}/close`), 200).status).toBe('closed');
  expect(bodyOf(await stage.by.post(`/v1/fleets/${other.fleet_id}/close`), 200).status).toBe('closed');
});

test('a paused fleet ends the channel purses of its members too, and counts every open purse', async () => {
  const fleet = await aFleet();
  const [a, b] = [await aMember(fleet), await aMember(fleet)];
  const channel = async (account: TestAccount): Promise<Body> =>
    bodyOf(await stage.by.post('/v1/purses', { account_id: account.id, amount: '1', kind: 'channel', idempotency_key: randomUUID() }), 201);
  const purses = [await stage.open(a, '1'), await channel(a), await channel(a), await channel(b)];
  const paused = bodyOf(await stage.by.post(`/v1/fleets/${fleet.fleet_id}/pause`), 200);
  expect(paused).toMatchObject({ open_purses: 4, reserved_usdc: '4.000000', job_id: expect.stringMatching(/^job_/) });
  for (const purse of purses) expect(await stage.closed(purse)).toMatchObject({ spent_usdc: '0.000000', returned_usdc: '1.000000' });
  await eventually(async () => expect(await show(fleet)).toMatchObject({ reserved_usdc: '0.000000' }));
  await eventually(async () =>
    expect(bodyOf(await stage.by.get(`/v1/jobs/${paused.job_id}`), 200)).toMatchObject({ status: 'finished', done: 2, failed: 0 }),
  );
});

test('a paused fleet stops transfers, openings and payments of its members at once, and ends open purses; settling goes on', async () => {
  const fleet = await aFleet();
  const [a, b] = [await aMember(fleet), await aMember(fleet)];
  const purse = await stage.open(a, '1');
  bodyOf(await stage.pay(a, { purse_id: purse.purse_id }), 200);
  const opened = bodyOf(await stage.by.post('/v1/sessions', session(b, '2')), 201);
  const paused = bodyOf(await stage.by.post(`/v1/fleets/${fleet.fleet_id}/pause`), 200);
  expect(paused).toMatchObject({ status: 'paused', reserved_usdc: '3.000000' });
  expect(bodyOf(await stage.by.post(`/v1/fleets/${fleet.fleet_id}/pause`), 200).status).toBe('paused');
  const declined = await send(b, '1');
  expect(declined.body).toMatchObject({ error: 'account_paused', policy: { scope: 'fleet', fleet_id: fleet.fleet_id } });
  expect((await stage.by.post('/v1/sessions', session(b, '1'))).body.error).toBe('account_paused');
  expect((await stage.pay(a, { purse_id: purse.purse_id })).status).not.toBe(200);
  expect(await stage.closed(purse)).toMatchObject({ spent_usdc: '0.010000', returned_usdc: '0.990000' });
  bodyOf(await stage.by.post(`/v1/sessions/${opened.session_id}/close`), 200);
  expect(await show(fleet)).toMatchObject({ reserved_usdc: '0.000000' });
  expect(bodyOf(await stage.by.post(`/v1/fleets/${fleet.fleet_id}/resume`), 200).status).toBe('active');
  bodyOf(await send(b, '1'), 200);
  expect((await stage.by.post(`/v1/fleets/${fleet.fleet_id}/close`)).status).toBe(409);
  expect((await events(fleet)).map(({ type }) => type)).toEqual([
    'fleet.member_joined',
    'fleet.member_joined',
    'fleet.paused',
    'fleet.policy_changed',
    'fleet.resumed',
    'fleet.policy_changed',
  ]);
});

test('rotations and closings of members go on: of the authority, of the operator, of the account', async () => {
  const fleet = await aFleet();
  const account = await aMember(fleet);
  bodyOf(await stage.by.post(`/v1/accounts/${account.id}/rotate_authority`), 200);
  bodyOf(await send(account, '1'), 200);
  bodyOf(await stage.by.post('/v1/operators/rotate_key'), 200);
  bodyOf(await send(account, '1'), 200);
  await setPolicy(account, { max_daily_spend: 50 }, stage.by);
  bodyOf(await stage.by.post(`/v1/accounts/${account.id}/close`, { destination: stage.payee.id }), 200);
  expect(await show(fleet)).toMatchObject({ members: 0 });
});

test('an agent key for a fleet pays from members of every time, and from no account that is none or is one no longer', async () => {
  const fleet = await aFleet();
  const wanted = { type: 'agent', fleet_ids: [fleet.fleet_id] };
  const created = bodyOf(await stage.by.post('/v1/api_keys', wanted), 201);
  expect(created).toMatchObject({ account_ids: [], fleet_ids: [fleet.fleet_id] });
  const agent = api(stage.service.baseUrl, created.key);
  const [member, other] = [await aMember(fleet), await anAccount({ usdc: '10', by: stage.by })];
  const me = bodyOf(await agent.get('/v1/me'), 200);
  expect(me).toMatchObject({ accounts: [], fleets: [{ fleet_id: fleet.fleet_id, name: 'crawlers' }] });
  bodyOf(await pay(member, stage.payee, '1', {}, agent), 200);
  expect((await pay(other, stage.payee, '1', {}, agent)).status).toBe(403);
  bodyOf(await put(other, fleet.fleet_id), 200);
  bodyOf(await pay(other, stage.payee, '1', {}, agent), 200);
  bodyOf(await put(other, null), 200);
  expect((await pay(other, stage.payee, '1', {}, agent)).status).toBe(403);
  expect((await agent.post(`/v1/fleets/${fleet.fleet_id}/pause`)).status).toBe(403);
  expect(invalidFields(await stage.by.post('/v1/api_keys', { type: 'agent' }))).toEqual(['account_ids']);
  expect(invalidFields(await stage.by.post('/v1/api_keys', { type: 'agent', fleet_ids: ['flt_unknown'] }))).toEqual(['fleet_ids[0]']);
});

test('a row of the database that names a fleet which the service did not store lets no key of that fleet pay', async () => {
  const [fleet, account] = [await aFleet(), await anAccount({ usdc: '10', by: stage.by })];
  const { key } = bodyOf(await stage.by.post('/v1/api_keys', { type: 'agent', fleet_ids: [fleet.fleet_id] }), 201);
  await query(
    'UPDATE accounts SET fleet_id = $2, fleet_address = $3 WHERE id = $1',
    [account.id, fleet.fleet_id, fleet.chain_address],
    stage.service.sandbox.database_url,
  );
  expect((await pay(account, stage.payee, '1', {}, api(stage.service.baseUrl, key))).status).toBe(409);
});

test('fleet_id filters lists by the fleet of now, usage groups by it, and webhooks get its events and those of its members', async () => {
  const fleet = await aFleet();
  const [member, other] = [await aMember(fleet), await anAccount({ usdc: '10', by: stage.by })];
  const hook = { url: 'https://example.com/hook', fleet_ids: [fleet.fleet_id] };
  const webhook = bodyOf(await stage.by.post('/v1/webhooks', hook), 201);
  expect(webhook).toMatchObject({ account_ids: [], fleet_ids: [fleet.fleet_id] });
  bodyOf(await send(member, '2'), 200);
  bodyOf(await send(other, '1'), 200);
  for (const path of ['/v1/accounts', '/v1/transfers', '/v1/transactions', '/v1/payments', '/v1/sessions', '/v1/purses']) {
    const counts: Record<string, number> = { '/v1/accounts': 1, '/v1/transfers': 1, '/v1/transactions': 2 };
    // The deposit is recorded by a job.
    await eventually(async () => {
      const { data } = bodyOf(await stage.by.get(`${path}?fleet_id=${fleet.fleet_id}`), 200);
      expect([path, data.length]).toEqual([path, counts[path] ?? 0]);
    });
  }
  const usage = bodyOf(await stage.by.get('/v1/usage?group_by=fleet'), 200).data;
  expect(usage.find(({ group }: Body) => group === fleet.fleet_id)).toMatchObject({ settled_usdc: '2.000000', settled_count: 1 });
  await eventually(async () => {
    const delivered = await query(
      'SELECT events.account_id FROM webhook_deliveries JOIN events ON events.id = event_id WHERE webhook_deliveries.webhook_id = $1',
      [webhook.webhook_id],
      stage.service.sandbox.database_url,
    );
    expect(delivered.length).toBeGreaterThan(0);
    expect(new Set(delivered.map(({ account_id }) => account_id))).toEqual(new Set([member.id]));
  });
});
