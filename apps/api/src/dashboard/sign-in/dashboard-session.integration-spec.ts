/** The life of a browser's session: sign-in, cookie, expiry, sign-out. */
import { createHash } from 'node:crypto';
import { startApp, type TestApp } from '../../../../../test/support/app';
import { cookieIn, DashboardSession } from '../../../../../test/support/dashboard-session';
import { SignInAttempts } from './sign-in-attempts';

const PAGE = { 'X-Dashboard': '1' };

let app: TestApp;
beforeAll(async () => void (app = await startApp()));
afterAll(() => app.close());

const { fromPage, signIn } = new DashboardSession(() => app);
const newKey = async (body: object): Promise<{ key: string; key_id: string }> =>
  (await app.send('post', '/v1/api_keys').send(body).expect(201)).body;

// These tests advance the clock.
describe('a browser session', () => {
  test('starts with an operator key, in a cookie that is HttpOnly and SameSite=Strict', async () => {
    const response = await fromPage('post', '/dashboard/session')
      .send({ key: ` ${app.operatorKey}\n` })
      .expect(201);
    expect(response.body).toEqual({
      operator: { operator_id: app.operatorId, name: 'test operator', chain_key_custody: 'service' },
      key_id: expect.stringMatching(/^key_/),
      expires_at: expect.any(String),
      has_faucet: false,
      program_id: null,
    });
    expect(String(response.headers['set-cookie'])).toMatch(
      /^dashboard_session=[\w-]{43}; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Strict$/,
    );
    expect(decodeURIComponent(String(response.headers['set-cookie']))).not.toContain(app.operatorKey);
    const secure = await fromPage('post', '/dashboard/session')
      .set('X-Forwarded-Proto', 'https')
      .send({ key: app.operatorKey })
      .expect(201);
    expect(String(secure.headers['set-cookie'])).toMatch(/; Secure/);
    const cookie = cookieIn(response);
    expect((await fromPage('get', '/dashboard/session', cookie).expect(200)).body.operator.operator_id).toBe(app.operatorId);
    expect((await fromPage('get', '/v1/api_keys', cookie).expect(200)).body.data).toContainEqual(
      expect.objectContaining({ key_id: response.body.key_id }),
    );
  });

  test('does not start with an invalid, revoked or agent key', async () => {
    const agent = await newKey({ type: 'agent', account_ids: [await app.insertAccount()] });
    const revoked = await newKey({ type: 'operator' });
    await app.send('delete', `/v1/api_keys/${revoked.key_id}`).expect(204);
    for (const [key, status] of [
      ['x', 401],
      [`${app.operatorKey}x`, 401],
      [revoked.key, 401],
      [agent.key, 403],
    ] as const) {
      const response = await fromPage('post', '/dashboard/session').send({ key }).expect(status);
      expect(response.headers['set-cookie']).toBeUndefined();
    }
    for (const body of [{}, { key: 5 }, { key: '' }, { key: app.operatorKey, more: 1 }])
      await fromPage('post', '/dashboard/session').send(body).expect(400);
  });

  test('authenticates only requests with the page’s header from its own origin', async () => {
    const cookie = await signIn();
    await app.send('get', '/v1/api_keys', null).set('Cookie', cookie).expect(401);
    await app.send('post', '/v1/api_keys', null).set('Cookie', cookie).send({ type: 'operator' }).expect(401);
    for (const site of ['cross-site', 'same-site', 'none'])
      await fromPage('get', '/v1/api_keys', cookie).set('Sec-Fetch-Site', site).expect(401);
    await fromPage('get', '/v1/api_keys', cookie).set('Sec-Fetch-Site', 'same-origin').expect(200);
    for (const method of ['get', 'post', 'delete'] as const)
      await app
        .send(method, '/dashboard/session', null)
        .set('Cookie', cookie)
        .send(method === 'post' ? { key: app.operatorKey } : undefined)
        .expect(403);
  });

  test('does not count beside an Authorization header', async () => {
    const cookie = await signIn();
    const agent = await newKey({ type: 'agent', account_ids: [await app.insertAccount()] });
    await app.send('get', '/v1/api_keys', agent.key).set(PAGE).set('Cookie', cookie).expect(403);
    await app.send('get', '/v1/api_keys', 'aps_op_nonsense').set(PAGE).set('Cookie', cookie).expect(401);
  });

  test('ends when its key is revoked or expires', async () => {
    const { key, key_id } = await newKey({ type: 'operator' });
    const other = await signIn(key);
    const expires_at = new Date(app.clock.now().getTime() + 600_000).toISOString();
    const brief = await signIn((await newKey({ type: 'operator', expires_at })).key);
    await app.send('delete', `/v1/api_keys/${key_id}`).expect(204);
    await fromPage('get', '/v1/api_keys', other).expect(401);
    await fromPage('get', '/v1/api_keys', brief).expect(200);
    app.clock.advance({ seconds: 601 });
    await fromPage('get', '/v1/api_keys', brief).expect(401);
  });

  test('does not start with a forged cookie', async () => {
    const cookie = await signIn();
    const [name, value = ''] = cookie.split(/=(.*)/s);
    for (const made of [
      '',
      value.slice(0, -1),
      `${value.slice(0, -1)}${value.endsWith('A') ? 'B' : 'A'}`,
      `${value}A`,
      '%',
      'x'.repeat(5_000),
    ]) {
      await fromPage('get', '/v1/api_keys', `${name}=${made}`).expect(401);
    }
    await fromPage('get', '/v1/api_keys', `a=b; ${cookie}; c=d`).expect(200);
    await fromPage('get', '/v1/api_keys', `x_${cookie}`).expect(401);
  });

  test('ends by signing out', async () => {
    const response = await fromPage('delete', '/dashboard/session', await signIn()).expect(204);
    expect(String(response.headers['set-cookie'])).toMatch(/^dashboard_session=; Path=\/; Expires=Thu, 01 Jan 1970/);
  });

  test('starts with a right key also after 20 failed sign-ins of its address, and further wrong keys are 429', async () => {
    app.clock.advance({ seconds: 60 });
    for (let count = 0; count < 20; count++) await fromPage('post', '/dashboard/session').send({ key: 'wrong' }).expect(401);
    const limited = await fromPage('post', '/dashboard/session').send({ key: 'wrong' }).expect(429);
    expect([limited.body.error, limited.headers['retry-after']]).toEqual(['rate_limited', expect.stringMatching(/^\d+$/)]);
    await signIn();
  });

  test('ends for every copy of its cookie when it is signed out', async () => {
    const cookie = await signIn();
    await fromPage('delete', '/dashboard/session', cookie).expect(204);
    await fromPage('get', '/v1/api_keys', cookie).expect(401);
  });

  test('ends after 30 minutes without a request', async () => {
    const cookie = await signIn();
    app.clock.advance({ seconds: 30 * 60 - 1 });
    await fromPage('get', '/v1/api_keys', cookie).expect(200);
    app.clock.advance({ seconds: 30 * 60 });
    await fromPage('get', '/v1/api_keys', cookie).expect(401);
  });

  test('ends 12 hours after it began, however often it is used', async () => {
    const cookie = await signIn();
    for (let minutes = 0; minutes < 12 * 60; minutes += 20) {
      await fromPage('get', '/v1/api_keys', cookie).expect(200);
      app.clock.advance({ seconds: 20 * 60 });
    }
    await fromPage('get', '/v1/api_keys', cookie).expect(401);
  });

  test('is not made by the keys of the service: the database has only the hash of a random token', async () => {
    const cookie = await signIn();
    const [, token = ''] = cookie.split('=');
    const rows: { token_hash: string }[] = await app.database.query('SELECT * FROM browser_sessions');
    expect(JSON.stringify(rows)).not.toContain(token);
    expect(rows.map(({ token_hash }) => token_hash)).toContain(createHash('sha256').update(token).digest('hex'));
    const [hash = ''] = rows.map(({ token_hash }) => token_hash);
    await fromPage('get', '/v1/api_keys', `dashboard_session=${hash}`).expect(401);
  });
});

test('failed sign-ins of at most 10,000 addresses are counted', () => {
  const attempts = new SignInAttempts(app.clock);
  const fail = (address: string): void => {
    for (let count = 0; count < 20; count++) attempts.note(address);
  };
  fail('first');
  expect(() => attempts.note('first')).toThrow('wait a minute');
  for (let count = 0; count < 10_000; count++) attempts.note(`address ${count}`);
  attempts.note('first');
});
