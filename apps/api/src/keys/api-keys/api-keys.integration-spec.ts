import { OperatorsService } from '../operators/operators.service';
import { startApp, type TestApp } from '../../../../../test/support/app';
import { eventually } from '../../../../../test/support/eventually';

let service: TestApp;
beforeAll(async () => void (service = await startApp()));
afterAll(() => service.close());

const create = (body: object, key?: string | null): ReturnType<TestApp['send']> => service.send('post', '/v1/api_keys', key).send(body);
const fieldsOf = (body: { details: { field: string }[] }): string[] => body.details.map((offender) => offender.field);
const newOperator = (): ReturnType<OperatorsService['create']> => service.app.get(OperatorsService).create('another operator');

describe('an API key', () => {
  test.each([
    undefined,
    '',
    'Bearer',
    'Bearer ',
    'Basic abc',
    'Bearer aps_op_',
    `Bearer aps_op_${'1'.repeat(43)}`,
    `Bearer aps_xx_${'1'.repeat(43)}`,
    `Bearer aps_op_${'0OIl'.repeat(10)}`,
    `Bearer ${'x'.repeat(5000)}`,
    "Bearer aps_op_' OR 1=1 --",
  ])('in the malformed header %p is 401', async (authorization) => {
    const request = service.send('get', '/v1/api_keys', null);
    const { body, headers } = await (authorization === undefined ? request : request.set('Authorization', authorization)).expect(401);
    expect(body).toMatchObject({ error: 'unauthorized', message: expect.any(String), request_id: expect.any(String) });
    expect(headers['www-authenticate']).toBe('Bearer');
  });

  test.each([
    [undefined, 'The Authorization header is missing'],
    ['Basic abc', 'The scheme of the Authorization header must be Bearer'],
    [`aps_op_${'1'.repeat(43)}`, 'The scheme is missing before the key'],
    ['Bearer sk_live_1', 'This key is not known to this service, whose keys begin with aps_op_ or aps_ag_'],
    ['Bearer aps_op_cut', 'This API key is not complete'],
    [`Bearer aps_op_${'1'.repeat(42)}`, 'This API key is shorter than a key of this service: it was cut'],
    [`Bearer aps_op_${'1'.repeat(43)}`, 'This service does not have this API key'],
  ])('in the header %p is refused by its reason: %s', async (authorization, message) => {
    const request = service.send('get', '/v1/api_keys', null);
    const { body } = await (authorization === undefined ? request : request.set('Authorization', authorization)).expect(401);
    expect(body.message).toContain(message);
    expect(body.message).not.toContain('1111');
  });

  test('with a wrong last character is 401', async () => {
    const last = service.operatorKey.at(-1) === 'a' ? 'b' : 'a';
    await service.send('get', '/v1/api_keys', service.operatorKey.slice(0, -1) + last).expect(401);
  });

  test('of an operator with the marker of an agent key is 401', () =>
    service.send('get', '/v1/api_keys', service.operatorKey.replace('aps_op_', 'aps_ag_')).expect(401));

  test('is accepted with any case of Bearer', () =>
    service.send('get', '/v1/api_keys', null).set('Authorization', `bearer  ${service.operatorKey}`).expect(200));

  test('of an agent may not create, list or revoke keys', async () => {
    const { body } = await create({ type: 'agent', account_ids: [await service.insertAccount()] }).expect(201);
    await create({ type: 'operator' }, body.key).expect(403);
    await service.send('get', '/v1/api_keys', body.key).expect(403);
    expect((await service.send('delete', `/v1/api_keys/${body.key_id}`, body.key).expect(403)).body.error).toBe('forbidden');
  });
});

describe('POST /v1/api_keys rejects', () => {
  test.each([
    [{}, ['type']],
    [{ type: 'admin' }, ['type']],
    [{ type: null }, ['type']],
    [{ type: ['agent'], account_ids: ['acct_1'] }, ['type']],
    [{ type: 'agent' }, ['account_ids']],
    [{ type: 'agent', account_ids: null }, ['account_ids']],
    [{ type: 'agent', account_ids: [] }, ['account_ids']],
    [{ type: 'agent', account_ids: 'acct_1' }, ['account_ids']],
    [{ type: 'agent', account_ids: Array.from({ length: 101 }, (_, index) => `acct_${index}`) }, ['account_ids']],
    [{ type: 'agent', account_ids: ['acct_1', 2, null] }, ['account_ids[1]', 'account_ids[2]']],
    [{ type: 'agent', account_ids: ['acct_1', 'acct_1'] }, ['account_ids[1]']],
    [{ type: 'agent', account_ids: ['a\0'] }, ['account_ids[0]']],
    [{ type: 'agent', account_ids: ['acct_unknown'] }, ['account_ids[0]']],
    [{ type: 'operator', account_ids: ['acct_1'] }, ['account_ids']],
    [{ type: 'operator', name: '' }, ['name']],
    [{ type: 'operator', name: '   ' }, ['name']],
    [{ type: 'operator', name: 'a'.repeat(101) }, ['name']],
    [{ type: 'operator', name: 7 }, ['name']],
    [{ type: 'operator', name: 'a\ud800' }, ['name']],
    [{ type: 'operator', expires_at: 'tomorrow' }, ['expires_at']],
    [{ type: 'operator', expires_at: '2030-02-31T00:00:00Z' }, ['expires_at']],
    [{ type: 'operator', expires_at: '2030-01-01' }, ['expires_at']],
    [{ type: 'operator', expires_at: '2030-01-01T00:00:00' }, ['expires_at']],
    [{ type: 'operator', expires_at: 4102444800000 }, ['expires_at']],
    [{ type: 'operator', expires_at: '2020-01-01T00:00:00Z' }, ['expires_at']],
    [{ type: 'operator', key: 'mine', role: 'x' }, ['key', 'role']],
  ])('%j', async (given, fields) => {
    const before = await service.database.query('SELECT count(*) FROM api_keys');
    const { body } = await create(given).expect(400);
    expect(fieldsOf(body)).toEqual(fields);
    expect(await service.database.query('SELECT count(*) FROM api_keys')).toEqual(before);
  });

  test("another operator's account like an unknown one", async () => {
    const other = await newOperator();
    const [own, foreign] = [await service.insertAccount(), await service.insertAccount(other.operator.id)];
    const { body } = await create({ type: 'agent', account_ids: [own, foreign, 'acct_unknown'] }).expect(400);
    expect(body.details).toEqual([
      { field: 'account_ids[1]', message: 'is not an account of this operator' },
      { field: 'account_ids[2]', message: 'is not an account of this operator' },
    ]);
  });
});

describe('a new API key', () => {
  test('is shown once and stored as its hash alone', async () => {
    const accounts = [await service.insertAccount(), await service.insertAccount()].reverse();
    const { body } = await create({
      type: 'agent',
      name: ' 🤖 bot ',
      account_ids: accounts,
      expires_at: '2999-01-01T00:00:00+02:00',
    }).expect(201);
    expect(body).toEqual({
      key_id: expect.stringMatching(/^key_/),
      type: 'agent',
      name: '🤖 bot',
      account_ids: accounts,
      fleet_ids: [],
      allowed_hosts: null,
      prefix: body.key.slice(0, 15),
      key: expect.stringMatching(/^aps_ag_[1-9A-HJ-NP-Za-km-z]{43,44}$/),
      expires_at: '2998-12-31T22:00:00.000Z',
      created_at: expect.any(String),
    });
    const listed = (await service.send('get', '/v1/api_keys').expect(200)).body.data[0];
    expect(listed).toEqual({ ...body, key: undefined, last_used_at: null, last_used_ip: null, last_used_ip_at: null });
    expect(JSON.stringify(await service.database.query('SELECT * FROM api_keys'))).not.toContain(body.key);
  });

  test('may have 100 accounts and a name of 100 emoji', async () => {
    const accounts = await Promise.all(Array.from({ length: 100 }, () => service.insertAccount()));
    await create({ type: 'agent', name: '😀'.repeat(100), account_ids: accounts }).expect(201);
    await create({ type: 'operator', name: null, expires_at: null, account_ids: null }).expect(201);
  });

  test('is 401 when it has expired', async () => {
    const { body } = await create({ type: 'operator', expires_at: new Date(service.clock.now().getTime() + 5_000).toISOString() }).expect(
      201,
    );
    await service.send('get', '/v1/api_keys', body.key).expect(200);
    service.clock.advance({ seconds: 6 });
    const refused = await service.send('get', '/v1/api_keys', body.key).expect(401);
    expect(refused.body.message).toBe(`This API key expired at ${body.expires_at}.`);
  });
});

describe('DELETE /v1/api_keys/:id', () => {
  test('revokes a key at once, and is 404 the second time', async () => {
    const { body } = await create({ type: 'operator' }).expect(201);
    const { text } = await service.send('delete', `/v1/api_keys/${body.key_id}`).expect(204);
    expect(text).toBe('');
    const refused = await service.send('get', '/v1/api_keys', body.key).expect(401);
    expect(refused.body.message).toBe('This API key was revoked.');
    await service.send('delete', `/v1/api_keys/${body.key_id}`).expect(404);
  });

  test.each(['key_unknown', 'key_01k9x000000000000000000000', 'acct_01k9x00000000000000000000', '%20', 'x'.repeat(500)])(
    'of %s is 404',
    (id) => service.send('delete', `/v1/api_keys/${id}`).expect(404),
  );

  test("of another operator's key is 404, and the key still works", async () => {
    const other = await newOperator();
    await service.send('delete', `/v1/api_keys/${other.key.key_id}`).expect(404);
    await service.send('get', '/v1/api_keys', other.key.key).expect(200);
  });

  test('of the last operator key is 409, also beside an expired key and an agent key', async () => {
    const { key, operator } = await newOperator();
    await create({ type: 'agent', account_ids: [await service.insertAccount(operator.id)] }, key.key).expect(201);
    await create({ type: 'operator', expires_at: new Date(service.clock.now().getTime() + 1_000).toISOString() }, key.key).expect(201);
    service.clock.advance({ seconds: 2 });
    const { body } = await service.send('delete', `/v1/api_keys/${key.key_id}`, key.key).expect(409);
    expect(body).toMatchObject({ error: 'conflict', status: 'active' });
    await service.send('get', '/v1/api_keys', key.key).expect(200);
  });

  test('leaves one of two operator keys that revoke each other concurrently', async () => {
    for (let round = 0; round < 10; round++) {
      const { key: one } = await newOperator();
      const { body: two } = await create({ type: 'operator' }, one.key).expect(201);
      await Promise.all([
        service.send('delete', `/v1/api_keys/${two.key_id}`, one.key),
        service.send('delete', `/v1/api_keys/${one.key_id}`, two.key),
      ]);
      const [{ valid }] = await service.database.query(
        `SELECT count(*)::int AS valid FROM api_keys WHERE id = ANY($1) AND revoked_at IS NULL`,
        [[one.key_id, two.key_id]],
      );
      expect(valid).toBe(1);
    }
  });
});

test('GET /v1/api_keys has pages that do not shift while keys are added', async () => {
  const { key } = await newOperator();
  for (let index = 0; index < 4; index++) await create({ type: 'operator', name: `k${index}` }, key.key).expect(201);
  const names: string[] = [];
  let cursor = '';
  do {
    const { body } = await service.send('get', `/v1/api_keys?limit=2${cursor}`, key.key).expect(200);
    names.push(...body.data.map((each: { name: string }) => each.name));
    expect(body.has_more).toBe(body.cursor !== null);
    cursor = body.cursor === null ? '' : `&cursor=${body.cursor}`;
    await create({ type: 'operator', name: 'later' }, key.key).expect(201);
  } while (cursor !== '');
  expect(names).toEqual(['k3', 'k2', 'k1', 'k0', 'first key']);
});

test('the address of an API key is noted with its use, at most once an hour', async () => {
  const { key } = await newOperator();
  const columns = async (): Promise<{ last_used_at: string | null; last_used_ip: string | null; last_used_ip_at: string | null }> =>
    (
      await service.database.query('SELECT last_used_at::text, last_used_ip, last_used_ip_at::text FROM api_keys WHERE id = $1', [
        key.key_id,
      ])
    )[0];
  const usedAfter = async (seconds: number) => {
    service.clock.advance({ seconds });
    const before = await columns();
    await service.send('get', '/v1/api_keys', key.key).expect(200);
    return eventually(async () => {
      const noted = await columns();
      expect(noted.last_used_at).not.toBe(before.last_used_at);
      return noted;
    });
  };
  const first = await usedAfter(0);
  expect(first).toMatchObject({ last_used_ip: expect.stringMatching(/127\.0\.0\.1$/), last_used_ip_at: first.last_used_at });
  expect((await usedAfter(61)).last_used_ip_at).toBe(first.last_used_ip_at);
  const later = await usedAfter(3_600);
  expect(later.last_used_ip_at).toBe(later.last_used_at);
  const { body } = await service.send('get', '/v1/api_keys', key.key).expect(200);
  expect(body.data[0]).toMatchObject({ last_used_ip: first.last_used_ip, last_used_ip_at: expect.stringMatching(/Z$/) });
});

test('last_used_at of an API key is updated once a minute', async () => {
  const { key } = await newOperator();
  const lastUsed = async (): Promise<string | undefined> =>
    (await service.database.query('SELECT last_used_at::text FROM api_keys WHERE id = $1', [key.key_id]))[0].last_used_at;
  const first = await noted(key.key, lastUsed, null);
  await service.send('get', '/v1/api_keys', key.key).expect(200);
  expect(await lastUsed()).toBe(first);
  service.clock.advance({ seconds: 61 });
  expect(await noted(key.key, lastUsed, first)).not.toBe(first);

  async function noted(
    secret: string,
    read: () => Promise<string | undefined>,
    before: string | null | undefined,
  ): Promise<string | undefined> {
    await service.send('get', '/v1/api_keys', secret).expect(200);
    for (let tries = 0; tries < 100; tries++) {
      const now = await read();
      if (now !== before) return now;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    throw new Error('The use was not noted within a second.');
  }
});
