import { FairShare } from '../../http/limits/fair-share';
import { startApp, type TestApp } from '../../../../../test/support/app';

const LIMITS = { RATE_LIMIT_PER_KEY: '3', RATE_LIMIT_PER_ADDRESS: '12', RATE_LIMIT_WRONG_KEYS: '2', TRUSTED_PROXIES: 'loopback' };

let service: TestApp;
beforeAll(async () => void (service = await startApp({ variables: LIMITS })));
afterAll(() => service.close());
/** Each test has its own minute. */
afterEach(() => service.clock.advance({ seconds: 60 }));

/** A request with this key, from this address behind the proxy. */
const list = (key: string | null, address = '203.0.113.1') => service.send('get', '/v1/api_keys', key).set('X-Forwarded-For', address);
const wrongKey = `aps_op_${'1'.repeat(43)}`;

test('a key makes as many requests in a minute as its limit, and one more is 429 with what says when to try again', async () => {
  for (const left of [2, 1, 0]) {
    const { headers } = await list(service.operatorKey).expect(200);
    expect(headers).toMatchObject({ 'ratelimit-policy': '"key";q=3;w=60', ratelimit: expect.stringMatching(`^"key";r=${left};t=`) });
  }
  const { body, headers } = await list(service.operatorKey).expect(429);
  expect(body).toEqual({
    error: 'rate_limited',
    message: expect.stringContaining('This key'),
    request_id: expect.any(String),
    doc_url: expect.stringMatching(/\/docs\/errors#rate_limited$/),
  });
  expect(headers).toMatchObject({ 'retry-after': expect.stringMatching(/^\d+$/), ratelimit: expect.stringMatching(/^"key";r=0;t=\d+$/) });
  service.clock.advance({ seconds: 60 });
  await list(service.operatorKey).expect(200);
});

test('a hundred requests of a key at once are counted exactly', async () => {
  const addresses = Array.from({ length: 100 }, (_, index) => `203.0.113.${index}`);
  const statuses = await Promise.all(addresses.map(async (address) => (await list(service.operatorKey, address)).status));
  expect(statuses.filter((status) => status === 200)).toHaveLength(3);
  expect(statuses.filter((status) => status === 429)).toHaveLength(97);
});

test('wrong keys of an address are 401 up to their limit, then 429, and right keys of it and wrong ones of others still count apart', async () => {
  for (let count = 0; count < 2; count++) await list(wrongKey).expect(401);
  await list(wrongKey).expect(429);
  await list(wrongKey, '203.0.113.2').expect(401);
  await list(service.operatorKey).expect(200);
});

test('requests without a key are 401, however many', async () => {
  for (let count = 0; count < 5; count++) await list(null).expect(401);
});

test('an address makes as many requests without a valid key in a minute as its limit, and valid keys go on working', async () => {
  for (let count = 0; count < 12; count++) await list(null).expect(401);
  await list(null).expect(429);
  await list(service.operatorKey).expect(200);
  await list(null, '203.0.113.2').expect(401);
});

test('requests of public routes count for their address', async () => {
  const health = (address: string) => service.send('get', '/health', null).set('X-Forwarded-For', address);
  for (let count = 0; count < 12; count++) await health('203.0.113.1').expect(200);
  await health('203.0.113.1').expect(429);
  await health('203.0.113.2').expect(200);
});

test('the addresses of an IPv6 /64 count as one, and another /64 apart', async () => {
  for (let count = 0; count < 12; count++) await list(null, `2001:db8:1:2::${count}`).expect(401);
  await list(null, '2001:db8:1:2:ffff::1').expect(429);
  await list(null, '2001:db8:1:3::1').expect(401);
});

test('an address that a caller forges in front of the proxy is not believed', async () => {
  for (let count = 0; count < 2; count++) await list(wrongKey, `198.51.100.${count}, 203.0.113.1`).expect(401);
  await list(wrongKey, '198.51.100.9, 203.0.113.1').expect(429);
});

test('a request over the limit of its key or address is refused in the caller’s turn, as one without a valid key is', async () => {
  const pace = jest.spyOn(service.app.get(FairShare), 'pace');
  for (let count = 0; count < 3; count++) await list(service.operatorKey).expect(200);
  for (let count = 0; count < 12; count++) await service.send('get', '/health', null).set('X-Forwarded-For', '203.0.113.1').expect(200);
  expect(pace).not.toHaveBeenCalled();
  await list(service.operatorKey).expect(429);
  await service.send('get', '/health', null).set('X-Forwarded-For', '203.0.113.1').expect(429);
  await list(null, '203.0.113.2').expect(401);
  expect(pace.mock.calls).toEqual([[expect.stringMatching(/^key_/)], ['203.0.113.1'], ['203.0.113.2']]);
  pace.mockRestore();
});

test('a request that its key may not make has the turn of its caller', async () => {
  const account = await service.insertAccount();
  const { body } = await service
    .send('post', '/v1/api_keys')
    .send({ type: 'agent', account_ids: [account] })
    .expect(201);
  const enter = jest.spyOn(service.app.get(FairShare), 'enter');
  await list(body.key).expect(403);
  expect(enter.mock.calls).toEqual([[body.key_id]]);
  enter.mockRestore();
});
