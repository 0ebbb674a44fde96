/** Fleets of an operator who holds its chain key itself. */
import type { Answer, Api, Body } from '../../support/api';
import { anExternalOperator, type ChainKeyHolder } from '../../support/chain-keys';
import { anAccount, bodyOf } from '../../support/world';

jest.setTimeout(120_000);

let by: Api;
let holder: ChainKeyHolder;
beforeAll(async () => void ({ by, holder } = await anExternalOperator()));

/** Signs what an answer asks for: its last body, and how often it was to be signed. */
async function signed(answer: Answer, status: number): Promise<[Body, number]> {
  const last = await holder.complete(by, answer);
  return [bodyOf(last, status), last.signatures];
}

test('creating in a fleet, joining and pausing need no signature of the operator; all else of a fleet does', async () => {
  const wanted = { name: 'crawlers', policy: { max_single_transfer: 5 }, limits: { max_daily_spend: 20 } };
  const [fleet, signatures] = await signed(await by.post('/v1/fleets', wanted), 201);
  expect([fleet.policy.max_single_transfer, fleet.limits.max_daily_spend, signatures]).toEqual([5, 20, 2]);
  const path = `/v1/fleets/${fleet.fleet_id}`;

  const member = bodyOf(await by.post('/v1/accounts', { name: 'member', fleet_id: fleet.fleet_id }), 201);
  const joined = await anAccount({ by });
  bodyOf(await by.put(`/v1/accounts/${joined.id}/fleet`, { fleet_id: fleet.fleet_id }), 200);
  expect(bodyOf(await by.post(`${path}/pause`), 200)).toMatchObject({ status: 'paused', members: 2 });

  expect((await signed(await by.post(`${path}/resume`), 200))[0].status).toBe('active');
  expect((await signed(await by.put(`${path}/policy`, { max_daily_spend: 3 }), 200))[0]).toMatchObject({ max_daily_spend: 3 });
  expect((await signed(await by.put(`${path}/limits`, { max_monthly_spend: 100 }), 200))[0]).toMatchObject({ max_monthly_spend: 100 });
  for (const id of [member.account_id, joined.id])
    expect((await signed(await by.put(`/v1/accounts/${id}/fleet`, { fleet_id: null }), 200))[0].fleet_id).toBe(null);
  expect((await signed(await by.post(`${path}/close`), 200))[0].status).toBe('closed');
});
