import { api, type Answer, type Api } from '../support/api';
import {
  anAccount,
  anAgent,
  balanceOf,
  bodyOf,
  anonymous,
  invalidFields,
  operator,
  order,
  pay,
  query,
  stranger,
  type TestAccount,
} from '../support/world';
import { sharedService } from '../support/service';

const UNKNOWN = 'acct_00000000000000000000000000';

/** Every route for operators only, with a valid body. */
const operatorRoutes = (id: string): [string, string, object?][] => [
  ['post', '/v1/accounts', { name: 'a' }],
  ['get', '/v1/accounts'],
  ['get', `/v1/accounts/${id}`],
  ['patch', `/v1/accounts/${id}`, { name: 'a' }],
  ['get', `/v1/accounts/${id}/balance`],
  ['get', `/v1/accounts/${id}/transactions`],
  ['get', `/v1/accounts/${id}/policy`],
  ['put', `/v1/accounts/${id}/policy`, { paused: true }],
  ['post', '/v1/transfers/tr_00000000000000000000000000/approve'],
  ['post', '/v1/transfers/tr_00000000000000000000000000/deny'],
  ['post', '/v1/sandbox/faucet', { account_id: id, amount: '1' }],
  ['post', '/v1/sandbox/clock', { advance_seconds: 1 }],
  ['post', '/v1/api_keys', { type: 'operator' }],
  ['get', '/v1/api_keys'],
  ['post', '/v1/webhooks', { url: 'https://example.com/' }],
  ['get', '/v1/webhooks'],
  ['get', '/v1/webhooks/wh_00000000000000000000000000'],
  ['post', '/v1/webhooks/wh_00000000000000000000000000/rotate_secret'],
  ['post', '/v1/webhooks/wh_00000000000000000000000000/test'],
  ['post', '/v1/webhooks/wh_00000000000000000000000000/replay'],
  ['get', '/v1/webhooks/wh_00000000000000000000000000/deliveries'],
  ['post', '/v1/deliveries/dlv_00000000000000000000000000/replay'],
  ['get', '/v1/events'],
  ['get', '/v1/event_types'],
  ['get', '/v1/usage?group_by=day'],
  ['get', '/v1/operators/catalogues'],
  ['put', '/v1/operators/catalogues', { urls: [] }],
  ['get', '/v1/providers'],
  ['get', '/v1/events/evt_00000000000000000000000000'],
];
const agentRoutes = (id: string): [string, string, object?][] => [
  ['post', '/v1/transfers', order(id, id, '1')],
  ['get', '/v1/transfers'],
  ['get', '/v1/transfers/tr_00000000000000000000000000'],
  ['get', `/v1/accounts/${id}/spending`],
  ['get', '/v1/me'],
  ['get', '/v1/transactions'],
  ['get', '/v1/payments'],
];

const call = (client: Api, [method, path, body]: [string, string, object?]) =>
  method === 'get' ? client.get(path) : method === 'put' || method === 'patch' ? client[method](path, body) : client.post(path, body);

describe('access to routes', () => {
  let account: TestAccount;
  beforeAll(async () => void (account = await anAccount({ usdc: '5' })));

  test('every route answers 401 without a key and with a malformed or unknown key', async () => {
    const { baseUrl, operatorKey } = sharedService();
    const keys = [
      'x',
      'aps_op_',
      `aps_op_${'1'.repeat(43)}`,
      `${operatorKey}x`,
      operatorKey.slice(0, -1),
      operatorKey.toUpperCase(),
      `aps_ag_${operatorKey.slice(7)}`,
    ];
    for (const client of [anonymous(), ...keys.map((key) => api(baseUrl, key))]) {
      const { status, body, headers } = await client.get(`/v1/accounts/${account.id}`);
      expect([status, body.error, headers.get('WWW-Authenticate')]).toEqual([401, 'unauthorized', 'Bearer']);
    }
    for (const route of [...operatorRoutes(account.id), ...agentRoutes(account.id)])
      expect([route[1], (await call(anonymous(), route)).status]).toEqual([route[1], 401]);
    expect((await anonymous().get('/v1/accounts', { Authorization: `Basic ${operatorKey}` })).status).toBe(401);
  });

  test('every route for operators only answers 403 to an agent, for its own account too, and has no effect', async () => {
    const agent = await anAgent(account);
    for (const route of operatorRoutes(account.id)) {
      const { status, body } = await call(agent, route);
      expect([route[1], status, body.error]).toEqual([route[1], 403, 'forbidden']);
    }
    expect(bodyOf(await operator().get(`/v1/accounts/${account.id}`), 200)).toMatchObject({ status: 'active', balance_usdc: '5.000000' });
  });

  test('every route answers 401, then 403 for the kind of key, then 400, then 404', async () => {
    const agent = await anAgent(account);
    const invalid: [string, (client: Api) => Promise<Answer>][] = [
      ['name', (client) => client.post('/v1/accounts', {})],
      ['paused', (client) => client.put(`/v1/accounts/${UNKNOWN}/policy`, { paused: 1 })],
      ['allowed_counterparties[0]', (client) => client.put(`/v1/accounts/${UNKNOWN}/policy`, { allowed_counterparties: ['x'] })],
      ['limit', (client) => client.get(`/v1/accounts/${UNKNOWN}/transactions?limit=0`)],
      ['amount', (client) => client.post('/v1/sandbox/faucet', { account_id: UNKNOWN, amount: '0' })],
      ['Idempotency-Key', (client) => client.post('/v1/accounts', { name: 'a' }, { 'Idempotency-Key': 'k'.repeat(129) })],
      ['If-Match', (client) => client.put(`/v1/accounts/${UNKNOWN}/policy`, {}, { 'If-Match': 'x' })],
    ];
    for (const [field, send] of invalid) {
      expect([field, (await send(anonymous())).status, (await send(agent)).status]).toEqual([field, 401, 403]);
      expect(invalidFields(await send(operator()))).toEqual([field]);
    }
    for (const [client, status] of [
      [anonymous(), 401],
      [agent, 403],
      [operator(), 404],
    ] as const) {
      for (const route of ['', '/balance', '/policy', '/transactions'])
        expect([route, (await client.get(`/v1/accounts/${UNKNOWN}${route}`)).status]).toEqual([route, status]);
      expect((await client.put(`/v1/accounts/${UNKNOWN}/policy`, {})).status).toBe(status);
    }
  });

  test('a route for agents reports an invalid field before it rejects another account', async () => {
    const agent = await anAgent(account);
    expect(invalidFields(await agent.post('/v1/transfers', order(UNKNOWN, 'nobody', '0')))).toEqual(['amount']);
    const session = {
      account_id: UNKNOWN,
      provider: 'https://api.example.com/path',
      payee: account.address,
      cap: '1',
      idempotency_key: 'k',
    };
    expect(invalidFields(await agent.post('/v1/sessions', session))).toEqual(['provider']);
    expect(invalidFields(await agent.post('/v1/sessions', { ...session, provider: 'https://api.example.com', payee: 'x' }))).toEqual([
      'payee',
    ]);
    expect((await agent.post('/v1/sessions', { ...session, provider: 'https://api.example.com' })).status).toBe(403);
    expect((await anonymous().post('/v1/sessions', {})).status).toBe(401);
  });

  test('a request id is kept if given, and generated otherwise', async () => {
    const kept = await operator().get('/v1/accounts?limit=1', { 'X-Request-Id': 'mine:1' });
    expect(kept.headers.get('X-Request-Id')).toBe('mine:1');
    const refused = await pay(account, account, '1');
    expect(refused.body.request_id).toBe(refused.headers.get('X-Request-Id'));
    expect(refused.headers.get('Content-Type')).toMatch(/^application\/json/);
  });
});

describe('access of agents', () => {
  test('an agent pays from its own accounts only', async () => {
    const [a, b, c] = [await anAccount({ usdc: '5' }), await anAccount({ usdc: '5' }), await anAccount({ usdc: '5' })];
    const agent = await anAgent(a, b);
    for (const from of [a, b]) bodyOf(await agent.post('/v1/transfers', order(from, c, '1')), 200);
    const theirs = await anAccount({ by: stranger(), usdc: '5' });
    for (const from of [c.id, theirs.id, UNKNOWN, 'nonsense']) {
      const { status, body } = await agent.post('/v1/transfers', order(from, a, '1'));
      expect([from, status, body.error]).toEqual([from, 403, 'forbidden']);
    }
    expect([await balanceOf(c), await balanceOf(theirs, stranger())]).toEqual(['7.000000', '5.000000']);
    expect(await query('SELECT id FROM orders WHERE account_id = $1', [c.id])).toEqual([]);
  });

  test('an agent sees its own accounts’ transfers, and gets 404 for others', async () => {
    const [a, b] = [await anAccount({ usdc: '5' }), await anAccount({ usdc: '5' })];
    const agent = await anAgent(a);
    const mine = bodyOf(await agent.post('/v1/transfers', order(a, b, '1')), 200);
    const others = bodyOf(await pay(b, a, '1'), 200);
    expect(bodyOf(await agent.get(`/v1/transfers/${mine.transfer_id}`), 200)).toEqual(mine);
    const hidden = await agent.get(`/v1/transfers/${others.transfer_id}`);
    const absent = await agent.get('/v1/transfers/tr_00000000000000000000000000');
    expect([hidden.status, { ...hidden.body, request_id: '' }]).toEqual([404, { ...absent.body, request_id: '' }]);
    for (const search of ['', `?account_id=${a.id}`, '?status=settled'])
      expect(bodyOf(await agent.get(`/v1/transfers${search}`), 200).data).toEqual([mine]);
    for (const search of [`?account_id=${b.id}`, `?idempotency_key=${others.idempotency_key}`])
      expect(bodyOf(await agent.get(`/v1/transfers${search}`), 200).data).toEqual([]);
  });

  test('an agent shares its operator’s idempotency keys', async () => {
    const [a, b] = [await anAccount({ usdc: '5' }), await anAccount()];
    const given = order(a, b, '1');
    const first = bodyOf(await operator().post('/v1/transfers', given), 200);
    expect(bodyOf(await (await anAgent(a)).post('/v1/transfers', given), 200)).toEqual(first);
  });

  test('an agent is rejected as soon as its key is revoked', async () => {
    const a = await anAccount();
    const { key, key_id } = bodyOf(await operator().post('/v1/api_keys', { type: 'agent', account_ids: [a.id] }), 201);
    const agent = api(sharedService().baseUrl, key);
    bodyOf(await agent.get(`/v1/accounts/${a.id}/spending`), 200);
    expect((await operator().delete(`/v1/api_keys/${key_id}`)).status).toBe(204);
    expect((await agent.get(`/v1/accounts/${a.id}/spending`)).status).toBe(401);
  });
});

describe('POST /v1/sandbox/faucet', () => {
  test.each<[object, string]>([
    [{ amount: '1' }, 'account_id'],
    [{ account_id: 7, amount: '1' }, 'account_id'],
    [{ account_id: '', amount: '1' }, 'account_id'],
    [{ account_id: UNKNOWN }, 'amount'],
    ...[1, '0', '0.0000001', '-1', '1e3', '1000000000000', ''].map((amount): [object, string] => [
      { account_id: UNKNOWN, amount },
      'amount',
    ]),
    [{ account_id: UNKNOWN, amount: '1', memo: 'm' }, 'memo'],
  ])('POST /v1/sandbox/faucet rejects %j and names the field', async (body, field) =>
    expect(invalidFields(await operator().post('/v1/sandbox/faucet', body))).toEqual([field]),
  );

  test('POST /v1/sandbox/faucet answers 404 for an unknown account', async () =>
    expect((await operator().post('/v1/sandbox/faucet', { account_id: UNKNOWN, amount: '1' })).status).toBe(404));

  test('POST /v1/sandbox/faucet rejects more than an account can hold', async () => {
    const a = await anAccount();
    const give = () => operator().post('/v1/sandbox/faucet', { account_id: a.id, amount: '999999999999.999999' });
    for (let count = 0; count < 9; count++) bodyOf(await give(), 200);
    expect(invalidFields(await give())).toEqual(['amount']);
    expect(bodyOf(await operator().get(`/v1/accounts/${a.id}`), 200).balance_usdc).toBe('8999999999999.999991');
  });

  test('POST /v1/sandbox/faucet pays exactly the amount, also to twenty concurrent equal requests and to a paused account', async () => {
    const a = await anAccount({ policy: { paused: true } });
    expect(bodyOf(await operator().post('/v1/sandbox/faucet', { account_id: a.id, amount: '0.000001' }), 200)).toEqual({
      tx_signature: expect.any(String),
      balance_usdc: '0.000001',
    });
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => operator().post('/v1/sandbox/faucet', { account_id: a.id, amount: '1' })),
    );
    expect(new Set(answers.map(({ body }) => body.tx_signature)).size).toBe(20);
    expect(await balanceOf(a)).toBe('20.000001');
  });
});
