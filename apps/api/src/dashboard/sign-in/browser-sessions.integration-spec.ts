/** The rights of a browser's session by itself, and the list of an operator's sessions. */
import { startApp, type TestApp } from '../../../../../test/support/app';
import { DashboardSession } from '../../../../../test/support/dashboard-session';
import { OperatorsService } from '../../keys/operators/operators.service';

let app: TestApp;
beforeAll(async () => void (app = await startApp({ variables: { RATE_LIMIT_WRONG_KEYS: '40' } })));
afterAll(() => app.close());

const { fromPage, signIn } = new DashboardSession(() => app);

describe('an operator key', () => {
  const path = '/v1/api_keys';
  const body = { type: 'operator' };

  test('is not made by a session without an operator key, or with a wrong one', async () => {
    const cookie = await signIn();
    const { key: stranger } = await app.app.get(OperatorsService).create('stranger');
    const { body: agent } = await app
      .send('post', '/v1/api_keys')
      .send({ type: 'agent', account_ids: [await app.insertAccount()] })
      .expect(201);
    const refused = await fromPage('post', path, cookie).send(body).expect(403);
    expect([refused.body.error, refused.body.message]).toEqual(['forbidden', expect.stringContaining('operator key')]);
    for (const wrong of ['', 'aps_op_nonsense', stranger.key, agent.key])
      await fromPage('post', path, cookie).set('X-Operator-Key', wrong).send(body).expect(403);
  });

  test('is made by a session with the operator key, and by the key itself without another', async () => {
    const cookie = await signIn();
    const bySession = await fromPage('post', path, cookie).set('X-Operator-Key', app.operatorKey).send(body);
    const byKey = await app.send('post', path).send(body);
    expect([bySession.status, byKey.status]).toEqual([201, 201]);
  });

  test('a session makes an agent key without the operator key', async () => {
    const account = await app.insertAccount();
    await fromPage('post', '/v1/api_keys', await signIn())
      .send({ type: 'agent', account_ids: [account] })
      .expect(201);
  });

  test('too many wrong operator keys from one address are 429', async () => {
    app.clock.advance({ seconds: 60 });
    const cookie = await signIn();
    const statuses = new Set<number>();
    for (let tries = 0; tries <= 40; tries++) {
      const { status } = await fromPage('post', '/v1/api_keys', cookie).set('X-Operator-Key', 'aps_op_x').send({ type: 'operator' });
      statuses.add(status);
    }
    expect([...statuses]).toEqual([403, 429]);
  });
});

describe('GET and DELETE /dashboard/data/browser_sessions', () => {
  test('lists the sessions of the operator and of no other, without a token, and ends one at once', async () => {
    const { key: other } = await app.app.get(OperatorsService).create('other');
    const { key: own } = await app.app.get(OperatorsService).create('own');
    const [here, there] = [await signIn(own.key), await signIn(own.key)];
    await signIn(other.key);
    const { body } = await fromPage('get', '/dashboard/data/browser_sessions', here).expect(200);
    expect(body.data).toEqual([
      {
        session_id: expect.stringMatching(/^[0-9a-f]{32}$/),
        key_id: own.key_id,
        created_at: expect.any(String),
        last_seen_at: expect.any(String),
        expires_at: expect.any(String),
        is_current: false,
      },
      expect.objectContaining({ key_id: own.key_id, is_current: true }),
    ]);
    const [listed] = body.data;
    await fromPage('delete', `/dashboard/data/browser_sessions/${listed.session_id}`, await signIn(other.key)).expect(404);
    await fromPage('get', '/v1/api_keys', there).expect(200);
    await fromPage('delete', `/dashboard/data/browser_sessions/${listed.session_id}`, here).expect(204);
    await fromPage('get', '/v1/api_keys', there).expect(401);
    await fromPage('get', '/v1/api_keys', here).expect(200);
    await fromPage('delete', `/dashboard/data/browser_sessions/${listed.session_id}`, here).expect(404);
  });

  test('answers 401 without a session, and leaves out sessions that have ended', async () => {
    await fromPage('get', '/dashboard/data/browser_sessions').expect(401);
    const { key } = await app.app.get(OperatorsService).create('idle');
    await signIn(key.key);
    app.clock.advance({ seconds: 31 * 60 });
    const { body } = await fromPage('get', '/dashboard/data/browser_sessions', await signIn(key.key)).expect(200);
    expect(body.data).toHaveLength(1);
  });
});
