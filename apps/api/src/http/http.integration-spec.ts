import { connect } from 'node:net';
import type { TestApp } from '../../../../test/support/app';
import { startNotes, type NotesApp } from '../../../../test/support/notes';

let notes: NotesApp;
beforeAll(async () => void (notes = await startNotes()));
afterAll(() => notes.close());

describe('an unknown path', () => {
  test.each([
    ['/notes', 'There is no such route: did you mean /v1/notes?'],
    ['/v1/note', 'There is no such route: did you mean /v1/notes?'],
    ['/v1/notes/lst', 'There is no such route: did you mean /v1/notes/list?'],
    ['/v1/xyzzyabc', 'There is no such route: the paths of the API begin with /v1, and /docs/api lists all of them.'],
    ['/wp-login.php', 'There is no such route: the paths of the API begin with /v1, and /docs/api lists all of them.'],
  ])('%s is 404: %s', async (path, message) => expect((await notes.send('get', path).expect(404)).body.message).toBe(message));
});

describe('a response', () => {
  test.each(['abc', 'A.b_c:d-1', 'x'.repeat(128)])('repeats the request id %s', async (id) => {
    const response = await notes.send('get', '/v1/nowhere').set('X-Request-Id', id).expect(404);
    expect(response.headers['x-request-id']).toBe(id);
    expect(response.body).toEqual({ error: 'not_found', message: expect.any(String), request_id: id, doc_url: expect.any(String) });
  });

  test.each(['', 'a b', 'x'.repeat(129), 'ä', '<script>'])('replaces the unsafe request id %j', async (id) => {
    const response = await notes.send('get', '/health').set('X-Request-Id', Buffer.from(id).toString('latin1')).expect(200);
    expect(response.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('has a request id when the body is invalid too', async () => {
    const response = await notes.postText('{').set('X-Request-Id', 'mine').expect(400);
    expect([response.headers['x-request-id'], response.body.request_id]).toEqual(['mine', 'mine']);
  });

  test('to an unexpected error is 500 and reveals no details', async () => {
    const { body, text } = await notes.send('get', '/v1/notes/boom').expect(500);
    expect(body).toEqual({
      error: 'internal_error',
      message: expect.any(String),
      request_id: expect.any(String),
      doc_url: expect.any(String),
    });
    expect(text).not.toContain('hunter2');
  });

  test('to a domain error has its details and headers', async () => {
    const response = await notes.send('get', '/v1/notes/away').expect(503);
    expect(response.body).toMatchObject({ error: 'chain_unavailable', message: 'The chain is away.', a: 1 });
    expect(response.headers['retry-after']).toBe('2');
  });

  test('says that nothing was sent where the chain is unreachable, but not of a read', async () => {
    const [read, write] = await Promise.all((['get', 'post'] as const).map((method) => notes.send(method, '/v1/notes/unreachable', null)));
    expect([read?.body.message, write?.body.message]).toEqual([
      'The chain cannot be reached right now: try again.',
      'The chain cannot be reached right now. Nothing was sent: try again.',
    ]);
  });

  test('has the security headers and no X-Powered-By', async () => {
    const { headers } = await notes.send('get', '/health').expect(200);
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'strict-transport-security': expect.any(String) });
    expect(headers).not.toHaveProperty('x-powered-by');
  });
});

describe('a request path', () => {
  test.each(['/v1/nowhere', '/notes', '/v2/notes', '/v1/notes/by-id/a%00b', '/v1/api_keys/%00'])('%s is 404', async (path) => {
    expect((await notes.send('get', path)).body.error).toBe('not_found');
  });

  test('with broken percent encoding is 400', async () =>
    expect((await notes.send('get', '/v1/notes/by-id/%E0%A4%A').expect(400)).body.error).toBe('invalid_request'));
  test('with a method that the path does not take is 405 with Allow, with and without a key', async () => {
    for (const key of [null, undefined]) {
      const { body, headers } = await notes.send('put', '/v1/notes', key).expect(405);
      expect([body.error, headers.allow]).toEqual(['method_not_allowed', 'POST']);
    }
    expect((await notes.send('delete', '/v1/notes/by-id/1').expect(405)).headers.allow).toBe('GET, HEAD');
  });

  test('with a method that the path of the dashboard does not take is 405', async () =>
    expect((await notes.send('post', '/dashboard/accounts').expect(405)).headers.allow).toBe('GET, HEAD'));
  test('answers HEAD as GET, without a body', async () => {
    const head = await fetch(new URL('/health', await notes.app.getUrl()), { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
  });
});

describe('the order of error responses', () => {
  const HUGE = JSON.stringify({ name: 'a'.repeat(300 * 1024) });
  const defects: [string, string, string, number][] = [
    ['an invalid field', '{"name":""}', 'application/json', 400],
    ['malformed JSON', '{', 'application/json', 400],
    ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]).toString('latin1'), 'application/json', 400],
    ['another content type', 'name=a', 'text/plain', 415],
    ['300 KiB', HUGE, 'application/json', 413],
  ];
  const text = (path: string, key: string | null, body: string, type: string): ReturnType<TestApp['send']> =>
    notes.send('post', path, key).set('Content-Type', type).send(Buffer.from(body, 'latin1'));
  let agentKey: string;
  beforeAll(async () => {
    const { body } = await notes
      .send('post', '/v1/api_keys')
      .send({ type: 'agent', account_ids: [await notes.insertAccount()] })
      .expect(201);
    agentKey = body.key;
  });

  test.each(defects)('401 and 403 come before the error of a body with %s', async (_what, body, type, status) => {
    const refused = await text('/v1/notes/operator', null, body, type).expect(401);
    expect([refused.body.error, refused.headers['www-authenticate']]).toEqual(['unauthorized', 'Bearer']);
    expect((await text('/v1/notes/operator', agentKey, body, type).expect(403)).body.error).toBe('forbidden');
    await text('/v1/notes/agent', agentKey, body, type).expect(status);
    await text('/v1/notes/operator', notes.operatorKey, body, type).expect(status);
  });

  test('a valid request is 401 without a key and 200 with one that the route allows', async () => {
    await notes.send('post', '/v1/notes/operator', null).send({ name: 'a' }).expect(401);
    await notes.send('post', '/v1/notes/agent', agentKey).send({ name: 'a' }).expect(200);
  });

  test('an invalid query is 401 without a key and 400 with one', async () => {
    await notes.send('get', '/v1/api_keys?limit=0', null).expect(401);
    await notes.send('get', '/v1/api_keys?limit=0').expect(400);
  });
});

test('GET /ready reports whether the database is available', async () => {
  expect((await notes.send('get', '/ready', null).expect(200)).body).toEqual({
    status: 'ready',
    database: 'up',
    chain: 'down',
    fee_payer: 'unknown',
  });
});

test('bytes that are not HTTP do not crash the service', async () => {
  const port = Number(new URL(await notes.app.getUrl()).port);
  await new Promise<void>((resolve) =>
    connect(port, '127.0.0.1', function (this: import('node:net').Socket) {
      this.end('\x16\x03\x01 nonsense\r\n\r\n');
    })
      .on('close', () => resolve())
      .resume(),
  );
  await notes.send('get', '/health').expect(200);
});
