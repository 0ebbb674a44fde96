import { randomUUID } from 'node:crypto';
import { NEW_POLICY } from '../../support/new-policy';
import {
  TIME,
  anAccount,
  eventsOf,
  everyRow,
  fund,
  bodyOf,
  anonymous,
  invalidFields,
  operator,
  pay,
  query,
  rpc,
  sendText,
  setPolicy,
  stranger,
  countByStatus,
} from '../../support/world';

const NOWHERE = 'acct_00000000000000000000000000';
const create = (body: unknown, headers: Record<string, string> = {}) => operator().post('/v1/accounts', body, headers);
const named = async (name: string): Promise<unknown[]> => query('SELECT id FROM accounts WHERE name = $1', [name]);
const emoji = (count: number): string => '🦀'.repeat(count);
const pairs = (count: number): object => Object.fromEntries(Array.from({ length: count }, (_, index) => [`key${index}`, index]));

describe('POST /v1/accounts with an invalid body', () => {
  test.each([
    ['without a name', {}, 'name'],
    ['with a name of null', { name: null }, 'name'],
    ['with a number for a name', { name: 7 }, 'name'],
    ['with a list for a name', { name: ['a'] }, 'name'],
    ['with an empty name', { name: '' }, 'name'],
    ['with a name of blanks', { name: ' \t\n ' }, 'name'],
    ['with a name of 101 characters', { name: 'a'.repeat(101) }, 'name'],
    ['with a name of 101 emoji', { name: emoji(101) }, 'name'],
    ['with NUL in its name', { name: 'a\0b' }, 'name'],
    ['with half a surrogate pair in its name', { name: 'a\ud83e' }, 'name'],
    ['with the other half', { name: '\udd80a' }, 'name'],
    ['with metadata of null', { name: 'a', metadata: null }, 'metadata'],
    ['with a list for metadata', { name: 'a', metadata: [1] }, 'metadata'],
    ['with text for metadata', { name: 'a', metadata: 'x' }, 'metadata'],
    ['with 51 keys in its metadata', { name: 'a', metadata: pairs(51) }, 'metadata'],
    ['with a metadata key of 41 characters', { name: 'a', metadata: { [emoji(41)]: 1 } }, `metadata.${emoji(41)}`],
    ['with a metadata value of 501 characters', { name: 'a', metadata: { colour: emoji(501) } }, 'metadata.colour'],
    ['with NUL in its metadata', { name: 'a', metadata: { colour: { of: ['red', '\0'] } } }, 'metadata.colour.of[1]'],
    ['with a lone surrogate in a metadata key', { name: 'a', metadata: { '\ud800': 1 } }, 'metadata.\ud800'],
    ['with an unknown field', { name: 'a', colour: 'red' }, 'colour'],
    ['with a balance', { name: 'a', balance_usdc: '5.000000' }, 'balance_usdc'],
    ['with a policy', { name: 'a', policy: {} }, 'policy'],
  ])('POST /v1/accounts rejects a body %s and names the field', async (_how, body, field) => {
    const answer = await create(body);
    expect(invalidFields(answer).map((name) => name.toWellFormed())).toEqual([field.toWellFormed()]);
    expect(answer.body).toMatchObject({ message: expect.any(String), request_id: answer.headers.get('X-Request-Id') });
  });

  test.each([
    ['malformed JSON', '{"name":"a"', 400],
    ['a list', '[]', 400],
    ['text', '"a"', 400],
    ['a body of 300 KiB', JSON.stringify({ name: 'a', metadata: { a: 'x'.repeat(300 * 1024) } }), 413],
    ['a key of the prototype', '{"name":"a","metadata":{"__proto__":{"admin":true}}}', 400],
    ['a number beyond the range of numbers', '{"name":"a","metadata":{"a":1e999}}', 400],
  ])('POST /v1/accounts rejects a body that is %s', async (_what, text, status) => {
    expect((await sendText('POST', '/v1/accounts', text)).status).toBe(status);
  });

  test('POST /v1/accounts rejects a form', async () =>
    expect((await sendText('POST', '/v1/accounts', 'name=a', 'application/x-www-form-urlencoded')).body.error).toBe(
      'unsupported_media_type',
    ));

  test('POST /v1/accounts names every invalid field and stores nothing', async () => {
    const name = randomUUID();
    expect(invalidFields(await create({ name, metadata: 1, colour: 1 })).sort()).toEqual(['colour', 'metadata']);
    expect(await named(name)).toEqual([]);
  });
});

describe('POST /v1/accounts', () => {
  test('POST /v1/accounts returns exactly the members of the contract', async () => {
    const answer = await create({ name: '  Research agent №1  ', metadata: { team: 'a', deep: { er: [1, null, true] } } });
    const account = bodyOf(answer, 201);
    expect(account).toEqual({
      account_id: expect.stringMatching(/^acct_[0-9a-z]{26}$/),
      name: 'Research agent №1',
      handle: expect.stringMatching(/^research-agent-no1-[a-z0-9]+$/),
      chain_address: expect.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/),
      usdc_token_account: expect.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/),
      balance_usdc: '0.000000',
      held_usdc: '0.000000',
      custody_mode: 'custodial',
      status: 'active',
      policy: NEW_POLICY,
      metadata: { team: 'a', deep: { er: [1, null, true] } },
      fleet_id: null,
      labels: [],
      created_at: expect.stringMatching(TIME),
    });
    expect(bodyOf(await operator().get(`/v1/accounts/${account.account_id}`), 200)).toEqual(account);
    expect(Math.abs(Date.parse(account.created_at) - Date.now())).toBeLessThan(60_000);
  });

  test('a new account exists on chain: the program owns its address, and its address owns its token account', async () => {
    const { address, tokenAccount } = await anAccount();
    const [{ value: owner }, { value: token }] = await Promise.all(
      [address, tokenAccount].map((one) => rpc('getAccountInfo', [one, { encoding: 'jsonParsed', commitment: 'confirmed' }])),
    );
    expect(owner).not.toBeNull();
    expect(token.data.parsed.info).toMatchObject({ owner: address, state: 'initialized', tokenAmount: { amount: '0', decimals: 6 } });
  });

  test.each([
    ['one character', 'a'],
    ['100 characters', 'b'.repeat(100)],
    ['100 emoji', emoji(100)],
    ['100 characters between blanks', `   ${'c'.repeat(100)}   `],
    ['writing from right to left', 'שלום \u202e עולם'],
    ['a combined letter', 'e\u0301 é'],
  ])('POST /v1/accounts accepts a name of %s', async (_what, name) => expect(bodyOf(await create({ name }), 201).name).toBe(name.trim()));

  test('POST /v1/accounts accepts 50 metadata keys of 40 characters with values of 500', async () => {
    const metadata = { ...pairs(49), [emoji(40)]: emoji(500) };
    expect(bodyOf(await create({ name: 'a', metadata }), 201).metadata).toEqual(metadata);
  });

  test('POST /v1/accounts without metadata stores an empty object', async () =>
    expect(bodyOf(await create({ name: 'a' }), 201).metadata).toEqual({}));

  test.each([
    ['Ünïcödé  Agent!!', /^unicode-agent-[a-z0-9]+$/],
    ['日本', /^[a-z0-9]+-[a-z0-9]+$/],
    ['--- a --- b ---', /^a-b-[a-z0-9]+$/],
    [`${'a'.repeat(31)} ${'b'.repeat(60)}`, /^a{31}-[a-z0-9]+$/],
    ['c'.repeat(100), /^c{32}-[a-z0-9]+$/],
  ])('POST /v1/accounts makes the handle of the name %s', async (name, handle) =>
    expect(bodyOf(await create({ name }), 201).handle).toMatch(handle),
  );

  test('accounts with the same name get different handles', async () => {
    const accounts = await Promise.all(Array.from({ length: 5 }, () => anAccount()));
    for (const key of ['id', 'handle', 'address', 'tokenAccount'] as const)
      expect(new Set(accounts.map((account) => account[key])).size).toBe(5);
  });

  test('a new account has no events', async () => expect(await eventsOf(await anAccount())).toEqual([]));
});

describe('POST /v1/accounts with an Idempotency-Key', () => {
  const keyed = (body: unknown, key = randomUUID() as string) => create(body, { 'Idempotency-Key': key });

  test.each([
    ['of 129 characters', 'k'.repeat(129)],
    ['that is empty', ''],
  ])('POST /v1/accounts rejects an Idempotency-Key %s', async (_how, key) => {
    const name = randomUUID();
    expect(invalidFields(await keyed({ name }, key))).toEqual(['Idempotency-Key']);
    expect(await named(name)).toEqual([]);
  });

  test('POST /v1/accounts answers 409 for a used key with another name or other metadata, and creates nothing', async () => {
    const [key, other] = [randomUUID(), randomUUID()];
    bodyOf(await keyed({ name: 'a', metadata: { one: 1 } }, key), 201);
    for (const body of [{ name: other, metadata: { one: 1 } }, { name: 'a', metadata: { one: 2 } }, { name: 'a' }]) {
      expect(bodyOf(await keyed(body, key), 409).error).toBe('idempotency_conflict');
    }
    expect(await named(other)).toEqual([]);
  });

  test('POST /v1/accounts retried with its key returns the first response', async () => {
    const key = 'k'.repeat(128 - 36) + randomUUID();
    const first = bodyOf(await keyed({ name: 'a', metadata: { x: 1, y: { z: 2 } } }, key), 201);
    await fund({ id: first.account_id }, '5');
    await setPolicy({ id: first.account_id }, { paused: true });
    const again = await keyed({ metadata: { y: { z: 2 }, x: 1 }, name: ' a ' }, key);
    expect([again.status, again.headers.get('Idempotent-Replayed'), again.body]).toEqual([201, 'true', first]);
  });

  test('Idempotency-Keys of different operators are independent', async () => {
    const key = randomUUID();
    const mine = bodyOf(await keyed({ name: 'a' }, key), 201);
    const theirs = bodyOf(await stranger().post('/v1/accounts', { name: 'b' }, { 'Idempotency-Key': key }), 201);
    expect(theirs.account_id).not.toBe(mine.account_id);
  });

  test('POST /v1/accounts: a hundred concurrent requests with one key create one account and get equal responses', async () => {
    const [key, name] = [randomUUID(), randomUUID()];
    const answers = await Promise.all(Array.from({ length: 100 }, () => keyed({ name }, key)));
    expect(countByStatus(answers)).toEqual({ 201: 100 });
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect(answers.filter(({ headers }) => headers.get('Idempotent-Replayed') === null)).toHaveLength(1);
    expect(await named(name)).toHaveLength(1);
  });
});

describe('GET /v1/accounts', () => {
  test.each([
    ...['0', '101', '-1', '1.5', 'ten', '', '1&limit=2'].map((limit) => `limit=${limit}`),
    ...['', 'nonsense', '%00'].map((cursor) => `cursor=${cursor}`),
    ...['', 'closed', 'ACTIVE', 'active&status=paused'].map((status) => `status=${status}`),
    'colour=red',
  ])('GET /v1/accounts rejects %s and names the parameter', async (search) =>
    expect(invalidFields(await operator().get(`/v1/accounts?${search}`))).toEqual([search.split('=')[0]]),
  );

  test('GET /v1/accounts rejects the cursor of another list', async () => {
    const [a, b] = [await anAccount({ usdc: '1' }), await anAccount()];
    for (let count = 0; count < 2; count++) bodyOf(await pay(a, b, '0.1'), 200);
    const { cursor } = bodyOf(await operator().get(`/v1/transfers?account_id=${a.id}&limit=1`), 200);
    expect(invalidFields(await operator().get(`/v1/accounts?cursor=${cursor}`))).toEqual(['cursor']);
  });

  test('GET /v1/accounts returns 20 per page by default, and no cursor on the last page', async () => {
    const page = bodyOf(await operator().get('/v1/accounts'), 200);
    expect([page.data.length, page.has_more, typeof page.cursor]).toEqual([20, true, 'string']);
    expect(Object.keys(page).sort()).toEqual(['cursor', 'data', 'has_more']);
    for (const limit of [1, 100]) bodyOf(await operator().get(`/v1/accounts?limit=${limit}`), 200);
    const shown = bodyOf(await operator().post('/v1/accounts', { name: randomUUID() }), 201);
    expect(bodyOf(await operator().get(`/v1/accounts?name=${shown.name}`), 200).data).toEqual([
      bodyOf(await operator().get(`/v1/accounts/${shown.account_id}`), 200),
    ]);
  });

  test('GET /v1/accounts is newest first, and its pages are stable while accounts are added', async () => {
    const mine = (rows: { account_id: string }[], ids: string[]) => rows.map((row) => row.account_id).filter((id) => ids.includes(id));
    const ids: string[] = [];
    for (let count = 0; count < 5; count++) ids.unshift((await anAccount()).id);
    const first = bodyOf(await operator().get('/v1/accounts?limit=2'), 200);
    await anAccount();
    const second = bodyOf(await operator().get(`/v1/accounts?limit=2&cursor=${first.cursor}`), 200);
    expect(new Set([...first.data, ...second.data].map(({ account_id }) => account_id)).size).toBe(4);
    expect(second.data[0].account_id < first.data[1].account_id).toBe(true);
    const all = await everyRow('/v1/accounts');
    expect(mine(all, ids)).toEqual(ids);
    expect(new Set(all.map(({ account_id }) => account_id)).size).toBe(all.length);
    const created = all.map(({ created_at }) => created_at);
    expect(created).toEqual([...created].sort().reverse());
  });

  test('GET /v1/accounts filters by status', async () => {
    const [paused, active] = [await anAccount({ policy: { paused: true } }), await anAccount()];
    const ids = async (status: string) => (await everyRow(`/v1/accounts?status=${status}`)).map(({ account_id }) => account_id);
    expect([(await ids('paused')).includes(paused.id), (await ids('active')).includes(paused.id)]).toEqual([true, false]);
    expect([(await ids('paused')).includes(active.id), (await ids('active')).includes(active.id)]).toEqual([false, true]);
    await setPolicy(paused, { paused: false });
    expect([(await ids('paused')).includes(paused.id), (await ids('active')).includes(paused.id)]).toEqual([false, true]);
  });

  test('GET /v1/accounts returns no account of another operator', async () => {
    const { id } = await anAccount({ by: stranger() });
    expect((await everyRow('/v1/accounts')).map(({ account_id }) => account_id)).not.toContain(id);
    expect((await everyRow('/v1/accounts', stranger())).map(({ account_id }) => account_id)).toContain(id);
  });
});

describe('GET /v1/accounts/:id/balance', () => {
  test('GET /v1/accounts/:id/balance returns the chain’s current balance', async () => {
    const [a, b] = [await anAccount({ usdc: '3' }), await anAccount()];
    bodyOf(await pay(a, b, '1.000001'), 200);
    const balance = bodyOf(await operator().get(`/v1/accounts/${a.id}/balance`), 200);
    const amounts = { balance_usdc: '1.999999', held_usdc: '0.000000' };
    expect(balance).toEqual({ account_id: a.id, ...amounts, last_updated: expect.stringMatching(TIME) });
    for (const path of [`/v1/accounts/${b.id}`, `/v1/accounts/${b.id}/balance`])
      expect(bodyOf(await operator().get(path), 200).balance_usdc).toBe('1.000001');
  });
});

describe('routes of an account that does not exist', () => {
  const routes = ['', '/balance', '/policy', '/spending', '/transactions'];
  const ids = [NOWHERE, 'acct_1', 'nonsense', 'tr_00000000000000000000000000', '%F0%9F%A6%80', 'a%00b', `x${'y'.repeat(2000)}`];
  test.each(routes)('GET /v1/accounts/:id%s answers 404 for every id that does not exist', async (route) => {
    for (const id of ids) expect([id, (await operator().get(`/v1/accounts/${id}${route}`)).body.error]).toEqual([id, 'not_found']);
  });

  test('an account of another operator and one that does not exist get the same response', async () => {
    const { id } = await anAccount({ by: stranger() });
    for (const route of routes) {
      const [one, other] = await Promise.all([id, NOWHERE].map((account) => operator().get(`/v1/accounts/${account}${route}`)));
      expect([one?.status, { ...one?.body, request_id: '' }]).toEqual([404, { ...other?.body, request_id: '' }]);
    }
    expect((await operator().put(`/v1/accounts/${id}/policy`, { paused: true })).status).toBe(404);
    expect((await operator().post('/v1/sandbox/faucet', { account_id: id, amount: '1' })).status).toBe(404);
    expect((await anonymous().get(`/v1/accounts/${id}`)).status).toBe(401);
  });

  test('writes to an account that does not exist answer 404', async () => {
    expect((await operator().put('/v1/accounts/acct_1/policy', { paused: true })).status).toBe(404);
    expect((await operator().patch('/v1/accounts/acct_1', { name: 'a' })).status).toBe(404);
  });

  test('an account takes no POST and no DELETE', async () => {
    expect((await operator().post('/v1/accounts/acct_1', {})).status).toBe(405);
    const { status, headers } = await operator().delete(`/v1/accounts/${(await anAccount()).id}`);
    expect([status, headers.get('Allow')]).toEqual([405, 'GET, HEAD, PATCH']);
  });
});
