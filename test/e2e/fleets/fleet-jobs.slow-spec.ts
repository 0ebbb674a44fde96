import type { Body } from '../../support/api';
import { eventually } from '../../support/eventually';
import { PurseStage } from '../../support/purses';
import { bodyOf, fund, invalidFields, pay, type TestAccount } from '../../support/world';

jest.setTimeout(300_000);

const AGENTS = 50;
const PURSES = 5;

let stage: PurseStage;
beforeAll(async () => void (stage = await PurseStage.start()));
afterAll(() => stage.stop());

const aFleet = async (): Promise<Body> => bodyOf(await stage.by.post('/v1/fleets', { name: 'crawlers' }), 201);
async function anAgent(fleet?: Body): Promise<TestAccount> {
  const body = bodyOf(await stage.by.post('/v1/accounts', { name: 'agent', ...(fleet && { fleet_id: fleet.fleet_id }) }), 201);
  return { id: body.account_id, address: body.chain_address, tokenAccount: body.usdc_token_account, handle: body.handle };
}
const finished = (job: Body): Promise<Body> =>
  eventually(
    async () => {
      const shown = bodyOf(await stage.by.get(`/v1/jobs/${job.job_id}`), 200);
      expect(shown.status).toBe('finished');
      return shown;
    },
    { timeoutMs: 120_000 },
  );
const bulk = (body: Body) => stage.by.post('/v1/accounts/bulk', body);

test('a fleet of 50 agents is stopped once one request is answered, purses included', async () => {
  const fleet = await aFleet();
  const agents: TestAccount[] = [];
  for (let made = 0; made < AGENTS; made += 10) agents.push(...(await Promise.all(Array.from({ length: 10 }, () => anAgent(fleet)))));
  const spenders = agents.slice(0, PURSES);
  const purses = await Promise.all(
    spenders.map(async (agent) => {
      await fund(agent, '2', stage.by);
      return stage.open(agent, '1', { expires_in_seconds: 3_600 });
    }),
  );
  const paused = bodyOf(await stage.by.post(`/v1/fleets/${fleet.fleet_id}/pause`), 200);
  const declined = await Promise.all(spenders.map((agent) => pay(agent, stage.payee, '0.5', {}, stage.by)));
  const unpaid = await Promise.all(spenders.map((agent) => stage.pay(agent)));
  expect(paused).toMatchObject({ status: 'paused', members: AGENTS, reserved_usdc: '5.000000', open_purses: PURSES });
  for (const { status, body } of declined) expect([status, body.error, body.policy.scope]).toEqual([402, 'account_paused', 'fleet']);
  // 409 while the purse ends.
  for (const { status } of unpaid) expect([402, 409]).toContain(status);
  expect(await finished(paused)).toMatchObject({ action: 'end_purses', total: PURSES, done: PURSES, failed: 0 });
  for (const purse of purses) expect((await stage.show(purse)).status).toBe('closed');
  const after = bodyOf(await stage.by.post(`/v1/fleets/${fleet.fleet_id}/pause`), 200);
  expect(after).toMatchObject({ reserved_usdc: '0.000000', open_purses: 0, job_id: null });
});

test('POST /v1/accounts/bulk moves many accounts into a fleet and out of it, and selects by fleet_id', async () => {
  const fleet = await aFleet();
  const agents = await Promise.all(Array.from({ length: 5 }, () => anAgent()));
  const account_ids = [...agents.map(({ id }) => id), 'acct_unknown'];
  expect(invalidFields(await bulk({ action: 'set_fleet', account_ids }))).toEqual(['new_fleet_id']);
  expect(invalidFields(await bulk({ action: 'pause', account_ids, new_fleet_id: null }))).toEqual(['new_fleet_id']);
  expect(invalidFields(await bulk({ action: 'set_fleet', account_ids, new_fleet_id: 'flt_unknown' }))).toEqual(['new_fleet_id']);
  expect(invalidFields(await bulk({ action: 'end_purses', account_ids }))).toEqual(['action']);
  const joining = bodyOf(await bulk({ action: 'set_fleet', account_ids, new_fleet_id: fleet.fleet_id }), 202);
  expect(await finished(joining)).toMatchObject({ done: 5, failed: 1, failures: [{ error: 'not_found' }] });
  expect(bodyOf(await stage.by.get(`/v1/fleets/${fleet.fleet_id}`), 200).members).toBe(5);
  const limited = bodyOf(await bulk({ action: 'set_policy', fleet_id: fleet.fleet_id, policy: { max_daily_spend: 3 } }), 202);
  expect(await finished(limited)).toMatchObject({ total: 5, done: 5, failed: 0 });
  const leaving = bodyOf(await bulk({ action: 'set_fleet', fleet_id: fleet.fleet_id, new_fleet_id: null }), 202);
  expect(await finished(leaving)).toMatchObject({ total: 5, done: 5, failed: 0 });
  expect(bodyOf(await stage.by.get(`/v1/fleets/${fleet.fleet_id}`), 200).members).toBe(0);
});
