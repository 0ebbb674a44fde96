/** Bounds that need a service of other settings each: kept answers, the size of the database, the reserve of the fee payer. */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { api, type Api, type Body } from '../../support/api';
import { eventually } from '../../support/eventually';
import { startService, type Service } from '../../support/service';
import { anAccount, bodyOf, order, pay, type TestAccount } from '../../support/world';
import { listening } from '../../support/listening';

jest.setTimeout(300_000);

/** For the first test; the others restart the service with theirs. */
const SMALL_ANSWERS = { KEPT_ANSWER_BYTES_PER_ACCOUNT: '150', FREE_ANSWER_BYTES: '1000', FREE_ANSWER_SECONDS: '600' };

let service: Service;
let by: Api;
const seller = createServer((_request, response) => void response.setHeader('Content-Type', 'text/plain').end('x'.repeat(100)));

beforeAll(async () => {
  await listening(seller);
  service = await startService({ variables: SMALL_ANSWERS });
  by = api(service.baseUrl, service.operatorKey);
});
afterAll(async () => {
  await service.stop();
  seller.closeAllConnections();
  await new Promise((resolve) => seller.close(resolve));
});

const call = ({ id }: TestAccount): Body => ({
  account_id: id,
  max_amount: '1',
  idempotency_key: randomUUID(),
  request: { method: 'GET', url: `http://127.0.0.1:${(seller.address() as AddressInfo).port}/` },
});

test('answers are cut once an account has kept as much as it may', async () => {
  const account = await anAccount({ by });
  const lengths: number[] = [];
  for (let index = 0; index < 3; index++) {
    const { payment_id: id } = bodyOf(await by.post('/v1/payments', call(account)), 200);
    const { body, truncated = false } = bodyOf(await by.get(`/v1/payments/${id}`), 200).response;
    expect(truncated).toBe(body.length < 100);
    lengths.push(body.length);
  }
  expect(lengths).toEqual([100, 50, 0]);
});

test('above the largest size of the database orders and payments are 503, and a pause is made', async () => {
  const [from, to] = [await anAccount({ usdc: '10', by }), await anAccount({ by })];
  await service.restart({ variables: { MAX_DATABASE_BYTES: '1000' } });
  by = api(service.baseUrl, service.operatorKey);
  for (const refused of [await pay(from, to, '1', {}, by), await by.post('/v1/payments', call(from))])
    expect([refused.status, refused.body.error, refused.headers.get('retry-after')]).toEqual([503, 'storage_unavailable', '60']);
  bodyOf(await by.put(`/v1/accounts/${from.id}/policy`, { paused: true }), 200);
});

test('below the reserve of the fee payer only pauses, approvals, denials and endings are sent', async () => {
  await service.restart();
  by = api(service.baseUrl, service.operatorKey);
  const [from, to] = [await anAccount({ usdc: '10', by, policy: { escalation_threshold: 2 } }), await anAccount({ by })];
  const waiting = [];
  for (let index = 0; index < 2; index++) waiting.push(bodyOf(await pay(from, to, '3', {}, by), 202).transfer_id);
  const settled = order(from, to, '1');
  bodyOf(await by.post('/v1/transfers', settled), 200);
  const session = {
    account_id: from.id,
    provider: 'https://api.example.com',
    payee: to.address,
    cap: '1',
    idempotency_key: randomUUID(),
  };
  const { session_id: id } = bodyOf(await by.post('/v1/sessions', session), 201);
  expect(bodyOf(await by.get('/ready'), 200)).toMatchObject({ status: 'ready', fee_payer: 'funded' });

  await service.restart({ variables: { FEE_PAYER_RESERVE: '999999999' } });
  by = api(service.baseUrl, service.operatorKey);
  expect(bodyOf(await by.get('/ready'), 200)).toMatchObject({ status: 'ready', fee_payer: 'empty' });
  const refusals = [
    await pay(from, to, '1', {}, by),
    await by.post('/v1/accounts', { name: 'new' }),
    await by.put(`/v1/accounts/${from.id}/policy`, { max_single_transfer: 5 }),
  ];
  for (const { status, body } of refusals) expect([status, body.error]).toEqual([503, 'fee_payer_empty']);
  const predicted = await by.post('/v1/transfers', order(from, to, '1'), { 'Dry-Run': 'true' });
  expect(predicted.body).toMatchObject({ allowed: false, decline: { error: 'fee_payer_empty', http_status: 503 } });

  expect((await by.post('/v1/transfers', settled)).headers.get('idempotent-replayed')).toBe('true');
  bodyOf(await by.post(`/v1/transfers/${waiting[0]}/approve`, {}), 200);
  bodyOf(await by.post(`/v1/transfers/${waiting[1]}/deny`, {}), 200);
  expect([200, 202]).toContain((await by.post(`/v1/sessions/${id}/close`, {})).status);
  bodyOf(await by.post(`/v1/accounts/${from.id}/rotate_authority`, {}), 200);
  bodyOf(await by.put(`/v1/accounts/${from.id}/policy`, { paused: true }), 200);

  const events = await eventually(async () => {
    const { data } = bodyOf(await by.get('/v1/events?type=fee_payer.low'), 200);
    expect(data).toHaveLength(1);
    return data;
  });
  expect(events[0]).toMatchObject({ account_id: null, sequence: expect.any(Number), data: { reserve_lamports: '999999999000000000' } });
});
