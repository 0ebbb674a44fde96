import {
  AgentPayments,
  APIConnectionError,
  APITimeoutError,
  APIUserAbortError,
  AgentPaymentsError,
  ConflictError,
  InvalidRequestError,
  NotFoundError,
  PolicyViolation,
  RateLimitError,
  ServiceUnavailableError,
} from '../src';
import { FakeService, type Reply } from './fake-service';

const TRANSFER = { transfer_id: 'tr_1', status: 'settled', amount_usdc: '1.500000' };
const PARAMS = { from: 'acct_1', to: 'acct_2', amount: '1.5' };
const AWAY: Reply = { status: 503, body: { error: 'chain_unavailable', message: 'away', request_id: 'r' } };

let service: FakeService;
let client: AgentPayments;
beforeAll(async () => {
  service = await new FakeService().start();
  client = new AgentPayments({ apiKey: 'aps_ag_1', baseURL: service.url });
});
afterAll(() => service.stop());

test('a call that spends sends a key of its own, the API key and the amount, and returns the object', async () => {
  service.replyWith({ body: TRANSFER });
  expect(await client.transfers.create({ ...PARAMS, amount: 1_500_000n })).toEqual(TRANSFER);
  await client.transfers.create({ ...PARAMS, idempotency_key: 'mine' });
  const [made, given] = service.received;
  expect(made).toMatchObject({ method: 'POST', path: '/v1/transfers', headers: { authorization: 'Bearer aps_ag_1' } });
  expect(made?.body).toEqual({ ...PARAMS, amount: '1.500000', idempotency_key: expect.stringMatching(/^[0-9a-f-]{36}$/) });
  expect(given?.body?.idempotency_key).toBe('mine');
});

test.each<[string, Reply]>([
  ['503', AWAY],
  ['429', { status: 429, headers: { 'Retry-After': '0' }, body: { error: 'rate_limited' } }],
  ['a page of a proxy', { status: 502, body: 'Bad gateway' }],
  ['a lost connection', { isCut: true }],
])('a call that spends is repeated with its key after %s', async (_what, reply) => {
  service.replyWith(reply, { body: TRANSFER });
  expect(await client.transfers.create(PARAMS)).toEqual(TRANSFER);
  const [first, second] = service.received.map(({ body }) => body?.idempotency_key);
  expect([service.received.length, second]).toEqual([2, first]);
});

test('an unreachable service is named with its address and the cause', async () => {
  const stopped = await new FakeService().start();
  await stopped.stop();
  const away = new AgentPayments({ apiKey: 'aps_ag_1', baseURL: stopped.url, maxRetries: 0 });
  await expect(away.me()).rejects.toThrow(`The service at ${stopped.url} cannot be reached: ECONNREFUSED.`);
});

test('a request without a key is repeated after 429 only, because the service might execute it twice', async () => {
  service.replyWith(AWAY);
  await expect(client.apiKeys.create({ type: 'operator' })).rejects.toThrow(ServiceUnavailableError);
  expect(service.received).toHaveLength(1);
  service.replyWith({ status: 429, body: {} }, { body: { key_id: 'key_1' } });
  expect(await client.apiKeys.create({ type: 'operator' })).toEqual({ key_id: 'key_1' });
  service.replyWith({ isCut: true });
  await expect(client.apiKeys.create({ type: 'operator' })).rejects.toThrow(APIConnectionError);
  expect(service.received).toHaveLength(1);
});

test('retries end after maxRetries, and a decline is never repeated', async () => {
  service.replyWith(AWAY);
  await expect(client.transfers.create(PARAMS, { maxRetries: 1 })).rejects.toThrow(ServiceUnavailableError);
  expect(service.received).toHaveLength(2);
  service.replyWith({ status: 402, headers: { 'Retry-After': '0' }, body: { error: 'policy_violation' } });
  await expect(client.transfers.create(PARAMS)).rejects.toThrow(PolicyViolation);
  expect(service.received).toHaveLength(1);
});

test('Retry-After is waited for where it is at most a minute, and ends the call where it is longer', async () => {
  service.replyWith({ status: 429, headers: { 'Retry-After': '1' }, body: {} }, { body: TRANSFER });
  const start = Date.now();
  await client.transfers.retrieve('tr_1');
  expect(Date.now() - start).toBeGreaterThanOrEqual(1_000);
  for (const wait of ['61', new Date(Date.now() + 3_600_000).toUTCString()]) {
    service.replyWith({ status: 429, headers: { 'Retry-After': wait }, body: { error: 'rate_limited' } });
    await expect(client.transfers.retrieve('tr_1')).rejects.toThrow(RateLimitError);
    expect(service.received).toHaveLength(1);
  }
});

test('a 409 with Retry-After is an object in use and is repeated, and another 409 is not', async () => {
  const conflict = { error: 'conflict', message: 'busy', status: 'busy' };
  service.replyWith({ status: 409, headers: { 'Retry-After': '0' }, body: conflict }, { body: { purse_id: 'purse_1' } });
  await client.purses.create({ account_id: 'acct_1', amount: '1' });
  expect(service.received).toHaveLength(2);
  service.replyWith({ status: 409, body: conflict });
  const error = await client.purses.create({ account_id: 'acct_1', amount: '1' }).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ConflictError);
  expect([(error as ConflictError).state, service.received.length]).toEqual(['busy', 1]);
});

test('a call times out for each attempt, and an aborted signal ends it at once', async () => {
  service.replyWith({ isSilent: true });
  await expect(client.transfers.retrieve('tr_1', { timeout: 500, maxRetries: 1 })).rejects.toThrow(APITimeoutError);
  expect(service.received).toHaveLength(2);
  const controller = new AbortController();
  const call = client.transfers.retrieve('tr_1', { signal: controller.signal });
  controller.abort();
  await expect(call).rejects.toThrow(APIUserAbortError);
  service.replyWith(AWAY);
  await expect(client.transfers.retrieve('tr_2', { signal: AbortSignal.timeout(100), maxRetries: 9 })).rejects.toThrow(APIUserAbortError);
  expect(service.received.filter(({ path }) => path.endsWith('tr_2')).length).toBeLessThan(2);
});

test('a decline has its reason and its numbers as bigint in micro-USDC', async () => {
  service.replyWith({
    status: 402,
    body: {
      error: 'policy_violation',
      message: 'too much',
      request_id: 'req_1',
      transfer_id: 'tr_1',
      status: 'rejected',
      rejection_reason: 'max_daily_spend',
      policy: {
        rule: 'max_daily_spend',
        limit_usdc: '100.000000',
        attempted_usdc: '8.000000',
        remaining_usdc: '5.000001',
        available_at: '2026-03-01T12:15:00.000Z',
        version: 3,
      },
    },
  });
  const error = await client.transfers.create(PARAMS).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(PolicyViolation);
  expect(error).toMatchObject({
    name: 'PolicyViolation',
    message: 'too much',
    status: 402,
    code: 'policy_violation',
    requestId: 'req_1',
    reason: 'max_daily_spend',
    objectId: 'tr_1',
    limit: 100_000_000n,
    attempted: 8_000_000n,
    remaining: 5_000_001n,
    reserved: undefined,
    availableAt: new Date('2026-03-01T12:15:00.000Z'),
    policyVersion: 3n,
  });
});

test('other errors have their class, and an unknown one is a plain APIError', async () => {
  service.replyWith({ status: 400, body: { error: 'invalid_request', message: 'm', details: [{ field: 'to', message: 'is required' }] } });
  const invalid = await client.transfers.create(PARAMS).catch((thrown: unknown) => thrown);
  expect((invalid as InvalidRequestError).details).toEqual([{ field: 'to', message: 'is required' }]);
  service.replyWith({ status: 404, body: { error: 'not_found', message: 'm' } });
  await expect(client.transfers.retrieve('tr_1')).rejects.toThrow(NotFoundError);
  service.replyWith({ status: 418, headers: { 'X-Request-Id': 'r' }, body: { error: 'constructor' } });
  await expect(client.transfers.retrieve('tr_1')).rejects.toMatchObject({
    name: 'APIError',
    status: 418,
    code: 'constructor',
    requestId: 'r',
  });
});

test('a client without a key or a base URL says so', () => {
  expect(() => new AgentPayments({ baseURL: 'http://x' })).toThrow(AgentPaymentsError);
  expect(() => new AgentPayments({ apiKey: 'k' })).toThrow('AGENT_PAYMENTS_BASE_URL');
});
