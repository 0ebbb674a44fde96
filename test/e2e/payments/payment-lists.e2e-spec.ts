import { randomUUID } from 'node:crypto';
import type { Api, Body } from '../../support/api';
import { ProviderStage } from '../../support/provider-stage';
import { oddChallenges } from '../../support/odd-challenges';
import { anAccount, anAgent, bodyOf, invalidFields, operator, setPolicy, stranger, type TestAccount } from '../../support/world';

jest.setTimeout(90_000);

let stage: ProviderStage;
beforeAll(async () => void (stage = await ProviderStage.start()));
beforeEach(() => stage.reset());
afterAll(() => stage.stop());

const sends = (body: Body, headers: Body = {}) => ({ request: { method: 'POST', url: `${stage.provider.url}/data`, body, headers } });
const rejection = async ({ id }: TestAccount): Promise<Body> =>
  bodyOf(await operator().get(`/v1/accounts/${id}/transactions?type=rejection`), 200).data[0];

describe('GET /v1/payments', () => {
  let a: TestAccount;
  let b: TestAccount;
  let session: string;
  const made: Record<string, Body> = {};
  const started = new Date();
  const list = async (search = '', by: Api = operator()): Promise<Body[]> => bodyOf(await by.get(`/v1/payments?${search}`), 200).data;
  const ids = async (search: string, by?: Api): Promise<string[]> => (await list(search, by)).map(({ payment_id }) => payment_id);
  const named = (...names: string[]): string[] => names.map((name) => made[name]?.payment_id);

  beforeAll(async () => {
    [a, b] = [await anAccount({ usdc: '10' }), await anAccount({ usdc: '10' })];
    session = await stage.open(a);
    stage.provider.behave();
    made.paid = bodyOf(await stage.pay(a, { session_id: session, reference: 'r-1', metadata: { n: 1 } }), 200);
    made.rejected = bodyOf(await stage.pay(a, { session_id: session, max_amount: '0.000001' }), 402);
    stage.provider.behave({ unpaid: (response) => void response.writeHead(200, { 'Content-Type': 'text/plain' }).end('free') });
    made.free = bodyOf(await stage.pay(a), 200);
    made.other = bodyOf(await stage.pay(b), 200);
  });

  test('GET /v1/payments lists payments newest first, as each is shown', async () => {
    const [free, , paid] = await list(`account_id=${a.id}`);
    const shown = bodyOf(await operator().get(`/v1/payments/${made.paid?.payment_id}`), 200);
    expect(shown.response).not.toBeNull();
    expect(paid).toEqual(shown);
    expect([paid?.reference, paid?.metadata]).toEqual(['r-1', { n: 1 }]);
    expect(free?.payment_id).toBe(made.free?.payment_id);
  });

  test('GET /v1/payments filters by account, session, provider, status and several at once', async () => {
    expect(await ids(`account_id=${a.id}`)).toEqual(named('free', 'rejected', 'paid'));
    expect(await ids(`session_id=${session}`)).toEqual(named('rejected', 'paid'));
    expect(await ids(`account_id=${a.id}&status=paid`)).toEqual(named('paid'));
    expect(await ids(`account_id=${a.id}&status=unknown`)).toEqual([]);
    // Another file's provider may have listened on the same port before.
    const since = `since=${started.toISOString()}`;
    expect(await ids(`provider=${stage.provider.url}&${since}`)).toEqual(named('other', 'free', 'rejected', 'paid'));
    expect(await ids(`provider=${new URL(stage.provider.url).host}&status=rejected&${since}`)).toEqual(named('rejected'));
    expect(await ids('provider=https://nobody.example.com')).toEqual([]);
    expect(await ids('session_id=sess_00000000000000000000000000')).toEqual([]);
    expect(await ids('purse_id=purse_00000000000000000000000000')).toEqual([]);
  });

  test('GET /v1/payments filters by since, exclusive, and until, inclusive, in pages', async () => {
    const { created_at } = bodyOf(await operator().get(`/v1/payments/${made.rejected?.payment_id}`), 200);
    expect(await ids(`account_id=${a.id}&since=${created_at}`)).toEqual(named('free'));
    expect(await ids(`account_id=${a.id}&until=${created_at}`)).toEqual(named('rejected', 'paid'));
    const first = bodyOf(await operator().get(`/v1/payments?account_id=${a.id}&limit=2`), 200);
    expect(await ids(`account_id=${a.id}&cursor=${first.cursor}`)).toEqual(named('paid'));
  });

  test('an agent lists its own accounts’ payments only, and another operator none', async () => {
    const agent = await anAgent(b);
    expect(await ids('', agent)).toEqual(named('other'));
    expect(await ids(`account_id=${a.id}`, agent)).toEqual([]);
    expect(await ids(`session_id=${session}`, agent)).toEqual([]);
    for (const search of [`account_id=${a.id}`, `session_id=${session}`, `provider=${stage.provider.url}`])
      expect(await ids(search, stranger())).toEqual([]);
  });

  test.each([
    'status=created',
    'status=',
    'account_id=',
    'session_id=',
    'purse_id=',
    'provider=',
    'since=x',
    'until=x',
    'limit=0',
    'cursor=x',
    'x=1',
  ])('GET /v1/payments rejects %s and names the parameter', async (search) =>
    expect(invalidFields(await operator().get(`/v1/payments?${search}`))).toEqual([search.split('=')[0]]),
  );
});

describe('the record of a declined payment', () => {
  test('a declined payment’s record has the amount that was asked, its payment, its provider and its reference', async () => {
    const a = await anAccount({ usdc: '10' });
    const { payment_id } = bodyOf(await stage.pay(a, { session_id: await stage.open(a), max_amount: '0.0005', reference: 'r-9' }), 402);
    expect(await rejection(a)).toMatchObject({
      amount_usdc: '0.001000',
      rejection_reason: 'max_amount',
      payment_id,
      provider: stage.provider.url,
      transfer_id: null,
      reference: 'r-9',
    });
    expect(bodyOf(await operator().get(`/v1/payments/${payment_id}`), 200)).toMatchObject({ status: 'rejected', amount_usdc: '0.001000' });
  });

  test.each([
    ['other network', 'network_mismatch'],
    ['expired', 'challenge_expired'],
    ['hidden splits', 'recipient_mismatch'],
  ] as const)('a payment whose challenge is of %s is recorded with the amount that was asked', async (what, reason) => {
    const a = await anAccount({ usdc: '10' });
    const session_id = await stage.open(a);
    stage.provider.behave({ unpaid: stage.provider.asks(() => oddChallenges[what](stage.provider)) });
    expect(bodyOf(await stage.pay(a, { session_id }), 402).rejection_reason).toBe(reason);
    expect((await rejection(a)).amount_usdc).toBe('0.001000');
  });

  test('a provider that takes only sessions is declined with the advice to open one', async () => {
    const a = await anAccount({ usdc: '10' });
    stage.provider.behave({ unpaid: stage.provider.asks(() => stage.provider.session()) });
    const declined = bodyOf(await stage.pay(a), 402);
    expect([declined.rejection_reason, declined.message]).toEqual([
      'unsupported_method',
      expect.stringMatching(/open_session.*session_id/),
    ]);
    expect((await rejection(a)).amount_usdc).toBe('0.001000');
    bodyOf(await stage.pay(a, { open_session: { cap: '0.01' } }), 200);
  });

  test('a category that the policy does not list is declined with the list, in a payment and its dry run', async () => {
    const a = await anAccount({ usdc: '10' });
    await setPolicy(a, { categories: ['data', 'search'] });
    const more = { open_session: { cap: '0.01' } };
    const { policy, rejection_reason } = bodyOf(await stage.pay(a, more), 402);
    expect([rejection_reason, policy.allowed]).toEqual(['categories', ['data', 'search']]);
    const { decline } = bodyOf(await operator().post('/v1/payments', stage.order(a, more), { 'Dry-Run': 'true' }), 200);
    expect(decline.policy.allowed).toEqual(['data', 'search']);
  });
});

test('an authorization echoes the reference of its payment', async () => {
  const a = await anAccount({ usdc: '10' });
  const given = { reference: 'r-2', metadata: { n: 2 } };
  const request = {
    account_id: a.id,
    idempotency_key: randomUUID(),
    max_amount: '0.01',
    url: stage.provider.url,
    challenges: [stage.provider.session()],
  };
  const authorized = bodyOf(
    await operator().post('/v1/payments/authorize', { ...request, session_id: await stage.open(a), ...given }),
    200,
  );
  expect(authorized).toMatchObject(given);
  expect(bodyOf(await operator().get(`/v1/payments/${authorized.payment_id}`), 200)).toMatchObject(given);
});

describe('bodies of a payment', () => {
  const answers = (type: string | undefined, body: string | Buffer) =>
    stage.provider.behave({
      unpaid: (response) => void response.writeHead(200, type === undefined ? {} : { 'Content-Type': type }).end(body),
    });

  test.each<[Body, string]>([
    [{ q: 'wëather', n: [1, null, true] }, '{"q":"wëather","n":[1,null,true]}'],
    [[1, 2], '[1,2]'],
    [7, '7'],
    [false, 'false'],
    [null, 'null'],
  ])('the JSON value %j is sent to the provider as JSON with that content type', async (value, text) => {
    answers('text/plain', 'ok');
    bodyOf(await stage.pay(await anAccount(), sends(value)), 200);
    expect(stage.provider.calls.map(({ body, headers }) => [body, headers['content-type']])).toEqual([[text, 'application/json']]);
  });

  test('a text is sent as it is, and a content type that the caller names is kept', async () => {
    const a = await anAccount();
    answers('text/plain', 'ok');
    bodyOf(await stage.pay(a, sends('{"a": 1}')), 200);
    bodyOf(await stage.pay(a, sends({ a: 1 }, { 'Content-Type': 'application/vnd.api+json' })), 200);
    expect(stage.provider.calls.map(({ body, headers }) => [body, headers['content-type']])).toEqual([
      ['{"a": 1}', undefined],
      ['{"a":1}', 'application/vnd.api+json'],
    ]);
  });

  test('a body in a GET, or beside body_base64, is 400', async () => {
    const a = await anAccount();
    const request = { method: 'POST', url: stage.provider.url };
    expect(invalidFields(await stage.pay(a, { request: { ...request, method: 'GET', body: { a: 1 } } }))).toEqual(['request.body']);
    expect(invalidFields(await stage.pay(a, { request: { ...request, body: {}, body_base64: '' } }))).toEqual([
      'request.body',
      'request.body_base64',
    ]);
  });

  test.each<[string | undefined, string | Buffer, string | null]>([
    ['application/json; charset=utf-8', '{"wëather":1}', '{"wëather":1}'],
    ['text/html', '<p>', '<p>'],
    ['application/problem+json', '{}', '{}'],
    ['text/plain', Buffer.from([0x61, 0xff]), null],
    ['application/octet-stream', 'text', null],
    [undefined, 'text', null],
  ])('an answer of the type %p is shown as text where it is text', async (type, body, expected) => {
    answers(type, body);
    const payment = bodyOf(await stage.pay(await anAccount()), 200);
    expect([payment.response.body, payment.response.body_base64]).toEqual([expected, Buffer.from(body).toString('base64')]);
  });

  test('a replay with an equal JSON body answers the first payment, and with another is 409', async () => {
    const a = await anAccount();
    answers('text/plain', 'ok');
    const idempotency_key = randomUUID();
    const first = bodyOf(await stage.pay(a, { idempotency_key, ...sends({ q: 1 }) }), 200);
    expect(bodyOf(await stage.pay(a, { idempotency_key, ...sends({ q: 1 }), reference: 'later' }), 200)).toEqual(first);
    expect((await stage.pay(a, { idempotency_key, ...sends({ q: 2 }) })).status).toBe(409);
  });
});

describe('GET /v1/providers', () => {
  test('GET /v1/providers lists pinned providers, the last one first, in pages', async () => {
    const hosts = Array.from({ length: 3 }, () => `${randomUUID()}.example.com`);
    const pin = async (host: string) =>
      bodyOf(await operator().put(`/v1/providers/${host}`, { payee: stage.payee.owner, categories: ['data'] }), 200);
    for (const host of hosts) await pin(host);
    const first = bodyOf(await operator().get('/v1/providers?limit=1'), 200);
    expect([first.data.length, first.has_more]).toEqual([1, true]);
    await pin(`${randomUUID()}.example.com`);
    const next = bodyOf(await operator().get(`/v1/providers?limit=100&cursor=${first.cursor}`), 200);
    // Other tests pin providers of the same operator meanwhile.
    const own = [...first.data, ...next.data].filter(({ host }: Body) => hosts.includes(host));
    expect(own.map(({ host }: Body) => host)).toEqual(hosts.toReversed());
    expect(own[0]).toEqual(bodyOf(await operator().get(`/v1/providers/${hosts[2]}`), 200));
    expect(bodyOf(await stranger().get('/v1/providers'), 200)).toEqual({ data: [], cursor: null, has_more: false });
  });

  test.each(['limit=0', 'limit=101', 'cursor=x', 'cursor=', `cursor=${Buffer.from('evt_1').toString('base64url')}`, 'host=x'])(
    'GET /v1/providers rejects %s and names the parameter',
    async (search) => expect(invalidFields(await operator().get(`/v1/providers?${search}`))).toEqual([search.split('=')[0]]),
  );

  test('GET /v1/providers answers 403 to an agent', async () =>
    expect((await (await anAgent(await anAccount())).get('/v1/providers')).status).toBe(403));
});
