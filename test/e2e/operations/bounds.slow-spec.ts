/** The bounds of what one key or one account can use up, with small settings: at the bound, one over, and all at once. */
import { randomUUID } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { api, type Answer, type Api, type Body } from '../../support/api';
import { eventually } from '../../support/eventually';
import { startService, type Service } from '../../support/service';
import { anAccount, bodyOf, countByStatus, order, pay, query, type TestAccount } from '../../support/world';
import { listening } from '../../support/listening';

jest.setTimeout(300_000);

const BOUNDS = {
  FEE_BUDGET_PER_ACCOUNT: '0.00005',
  PENDING_APPROVALS_PER_ACCOUNT: '3',
  PROVIDER_CALLS_PER_KEY: '3',
  PROVIDER_CALLS: '4',
  FREE_ANSWER_SECONDS: '1',
  FREE_ANSWER_BYTES: '10',
};
/** The transfers that the budget above pays: each has two signatures of 5,000 lamports. */
const TRANSFERS_IN_BUDGET = 5;

let service: Service;
let by: Api;
/** Requests that the seller has not answered yet. */
const silent: ServerResponse[] = [];
const seller = createServer((request, response) => {
  if (request.url?.startsWith('/silent')) silent.push(response);
  else response.setHeader('Content-Type', 'text/plain').end('x'.repeat(100));
});

beforeAll(async () => {
  await listening(seller);
  service = await startService({ variables: BOUNDS });
  by = api(service.baseUrl, service.operatorKey);
  bodyOf(await by.put(`/v1/providers/127.0.0.1:${(seller.address() as AddressInfo).port}`, { max_seconds: 600 }), 200);
});
afterAll(async () => {
  await service.stop();
  seller.closeAllConnections();
  await new Promise((resolve) => seller.close(resolve));
});

async function agentOf({ id }: TestAccount): Promise<Api> {
  const { key } = bodyOf(await by.post('/v1/api_keys', { type: 'agent', account_ids: [id] }), 201);
  return api(service.baseUrl, key);
}

const call = ({ id }: TestAccount, path = '/'): Body => ({
  account_id: id,
  max_amount: '1',
  idempotency_key: randomUUID(),
  request: { method: 'GET', url: `http://127.0.0.1:${(seller.address() as AddressInfo).port}${path}` },
});

async function answerSilent(): Promise<void> {
  for (const response of silent.splice(0)) response.end('late');
}

test('an agent’s transfers are 429 once they have cost the fee budget, all at once too; replays, declines and the operator go on', async () => {
  const [from, to] = [await anAccount({ usdc: '10', by, policy: { max_single_transfer: 2 } }), await anAccount({ by })];
  const agent = await agentOf(from);
  const orders = Array.from({ length: 20 }, () => order(from, to, '0.1'));
  const answers = await Promise.all(orders.map((body) => agent.post('/v1/transfers', body)));
  expect(countByStatus(answers)).toEqual({ 200: TRANSFERS_IN_BUDGET, 429: 15 });
  const refused = answers.find(({ status }) => status === 429) as Answer;
  expect(refused.body).toMatchObject({ error: 'fee_budget_exceeded' });
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(23 * 3_600);

  const paid = orders[answers.findIndex(({ status }) => status === 200)];
  expect((await agent.post('/v1/transfers', paid)).headers.get('idempotent-replayed')).toBe('true');
  expect((await pay(from, to, '3', {}, agent)).body).toMatchObject({ error: 'policy_violation' });
  const predicted = await agent.post('/v1/transfers', order(from, to, '0.1'), { 'Dry-Run': 'true' });
  expect(predicted.body).toMatchObject({ allowed: false, decline: { error: 'fee_budget_exceeded', http_status: 429 } });
  bodyOf(await pay(from, to, '0.1', {}, by), 200);
});

test('an hour that is 25 hours old no longer counts in the fee budget', async () => {
  const [from, to] = [await anAccount({ usdc: '10', by }), await anAccount({ by })];
  const agent = await agentOf(from);
  const answers = await Promise.all(Array.from({ length: TRANSFERS_IN_BUDGET + 1 }, () => pay(from, to, '0.1', {}, agent)));
  expect(countByStatus(answers)).toEqual({ 200: TRANSFERS_IN_BUDGET, 429: 1 });
  const older = (by: string) =>
    query(
      `UPDATE account_fees SET hour = now() - interval '25 hours' ${by} WHERE account_id = $1`,
      [from.id],
      service.sandbox.database_url,
    );
  await older(`+ interval '1 minute'`);
  expect((await pay(from, to, '0.1', {}, agent)).status).toBe(429);
  await older(`- interval '1 second'`);
  bodyOf(await pay(from, to, '0.1', {}, agent), 200);
});

test('as many orders of an account wait for approval as may, also at once; a denial makes room', async () => {
  const [from, to] = [await anAccount({ usdc: '10', by, policy: { escalation_threshold: 1 } }), await anAccount({ by })];
  const agent = await agentOf(from);
  const answers = await Promise.all(Array.from({ length: 10 }, () => pay(from, to, '2', {}, agent)));
  expect(countByStatus(answers)).toEqual({ 202: 3, 429: 7 });
  const refused = answers.find(({ status }) => status === 429) as Answer;
  expect([refused.body.error, refused.headers.get('retry-after')]).toEqual(['rate_limited', expect.stringMatching(/^\d+$/)]);
  const predicted = await agent.post('/v1/transfers', order(from, to, '2'), { 'Dry-Run': 'true' });
  expect(predicted.body).toMatchObject({ allowed: false, decline: { error: 'rate_limited', http_status: 429 } });
  bodyOf(await pay(from, to, '0.5', {}, agent), 200);

  const waiting = answers.find(({ status }) => status === 202)?.body.transfer_id;
  bodyOf(await by.post(`/v1/transfers/${waiting}/deny`, {}), 200);
  bodyOf(await pay(from, to, '2', {}, agent), 202);
});

test('a key has as many provider calls under way as may, and a process; replays are answered meanwhile', async () => {
  const [one, other] = [await anAccount({ by }), await anAccount({ by })];
  const [agent, another] = [await agentOf(one), await agentOf(other)];
  const free = call(one);
  bodyOf(await agent.post('/v1/payments', free), 200);
  const under = Array.from({ length: 3 }, () => agent.post('/v1/payments', call(one, '/silent')));
  await eventually(() => expect(silent).toHaveLength(3));
  const refused = await agent.post('/v1/payments', call(one));
  expect([refused.status, refused.body.error, refused.headers.get('retry-after')]).toEqual([429, 'rate_limited', '1']);
  expect((await agent.post('/v1/payments', call(one), { 'Dry-Run': 'true' })).status).toBe(429);
  expect((await agent.post('/v1/payments', free)).headers.get('idempotent-replayed')).toBe('true');

  under.push(another.post('/v1/payments', call(other, '/silent')));
  await eventually(() => expect(silent).toHaveLength(4));
  expect((await another.post('/v1/payments', call(other))).status).toBe(429);
  await answerSilent();
  expect(countByStatus(await Promise.all(under))).toEqual({ 200: 4 });
  bodyOf(await agent.post('/v1/payments', call(one)), 200);
});

test('an answer that costs nothing is given whole, kept in part, and for its time only', async () => {
  const account = await anAccount({ by });
  const paid = bodyOf(await by.post('/v1/payments', call(account)), 200);
  expect(paid).toMatchObject({ status: 'free', response: { status: 200, body: 'x'.repeat(100) } });
  expect(paid.response).not.toHaveProperty('truncated');
  const path = `/v1/payments/${paid.payment_id}`;
  const kept = bodyOf(await by.get(path), 200).response;
  if (kept !== null) expect(kept).toMatchObject({ body: 'x'.repeat(10), truncated: true });
  await eventually(async () => expect(bodyOf(await by.get(path), 200).response).toBeNull());
});

test('a provider’s answer is not readable in the database', async () => {
  const account = await anAccount({ by });
  const { payment_id: id } = bodyOf(await by.post('/v1/payments', call(account)), 200);
  const [row] = await query('SELECT * FROM payments WHERE id = $1', [id], service.sandbox.database_url);
  expect(JSON.stringify(row)).not.toContain('xxxxx');
});

test('a sign-in of more than 4 KiB is 413, whatever is in it', async () => {
  const headers = { 'Content-Type': 'application/json' };
  const signIn = (length: number): Promise<Response> =>
    fetch(new URL('/dashboard/session', service.baseUrl), { method: 'POST', headers, body: JSON.stringify({ key: 'k'.repeat(length) }) });
  const around = 4_096 - JSON.stringify({ key: '' }).length;
  expect((await signIn(around)).status).not.toBe(413);
  expect((await signIn(around + 1)).status).toBe(413);
});
