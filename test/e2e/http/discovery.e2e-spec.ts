import { sharedService } from '../../support/service';
import { anAccount, anAgent, bodyOf, operator } from '../../support/world';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8';
const root = (accept?: string, method = 'GET') =>
  fetch(new URL('/', sharedService().baseUrl), { method, redirect: 'manual', headers: accept === undefined ? {} : { Accept: accept } });

describe('GET /', () => {
  test('GET / sends a browser to the dashboard', async () => {
    const answer = await root(BROWSER);
    expect([answer.status, answer.headers.get('Location')]).toEqual([302, '/dashboard']);
    expect((await fetch(new URL('/', sharedService().baseUrl), { headers: { Accept: BROWSER } })).url).toMatch(/\/dashboard$/);
  });

  test.each([undefined, '*/*', 'application/json'])('GET / answers 404 in JSON to a client that accepts %s', async (accept) => {
    const answer = await root(accept);
    expect([answer.status, await answer.json()]).toMatchObject([404, { error: 'not_found' }]);
  });

  test('POST / is 405', async () => {
    const answer = await root(BROWSER, 'POST');
    expect([answer.status, answer.headers.get('Allow')]).toEqual([405, 'GET, HEAD']);
  });
});

describe('GET /v1/event_types', () => {
  test('GET /v1/event_types lists every type that a webhook may subscribe to, with a sentence', async () => {
    const { data, cursor, has_more } = bodyOf(await operator().get('/v1/event_types'), 200);
    expect([cursor, has_more]).toEqual([null, false]);
    const types = data.map(({ type }: { type: string }) => type);
    for (const type of ['transfer.settled', 'session.cap_warning', 'purse.closed', 'balance.low_threshold', 'escalation.required'])
      expect(types).toContain(type);
    for (const { description } of data) expect(description).toMatch(/^[A-Z].*\.$/);
    const webhook = bodyOf(await operator().post('/v1/webhooks', { url: 'https://example.com/hook', events: types }), 201);
    expect(webhook.events).toEqual(types);
    await operator().delete(`/v1/webhooks/${webhook.webhook_id}`);
  });

  test('GET /v1/event_types answers 403 to an agent', async () =>
    expect((await (await anAgent(await anAccount())).get('/v1/event_types')).status).toBe(403));
});

test('PUT /v1/transfers is 405 with the methods of the path', async () => {
  const { status, body, headers } = await operator().put('/v1/transfers', {});
  expect([status, body.error, headers.get('Allow')]).toEqual([405, 'method_not_allowed', 'GET, HEAD, POST']);
});

test.each(['GET', 'PUT', 'DELETE'])('%s /v1/payments/authorize is 405, and Allow names POST alone', async (method) => {
  const { baseUrl, operatorKey } = sharedService();
  const headers = { Authorization: `Bearer ${operatorKey}`, 'Content-Type': 'application/json' };
  const answer = await fetch(new URL('/v1/payments/authorize', baseUrl), { method, headers, ...(method !== 'GET' && { body: '{}' }) });
  expect([answer.status, answer.headers.get('Allow')]).toEqual([405, 'POST']);
});

test('GET /favicon.ico is the icon of the dashboard', async () => {
  const answer = await fetch(new URL('/favicon.ico', sharedService().baseUrl));
  expect([answer.status, answer.headers.get('Content-Type')]).toEqual([200, 'image/svg+xml']);
});

test('headers that are too large are 431, which the API document describes for every route', async () => {
  const { baseUrl } = sharedService();
  const answer = await fetch(new URL('/v1/accounts', baseUrl), { headers: { 'X-Large': 'x'.repeat(200_000) } });
  const { paths } = (await (await fetch(new URL('/openapi.json', baseUrl))).json()) as { paths: Record<string, Record<string, object>> };
  const operations = Object.values(paths).flatMap((item) => Object.values(item));
  expect([answer.status, operations.every((each) => 'responses' in each && '431' in (each.responses as object))]).toEqual([431, true]);
});

test.each(['/llms.txt', '/llms-full.txt'])('GET %s is text for models, without a key', async (path) => {
  const answer = await fetch(new URL(path, sharedService().baseUrl));
  expect([answer.status, answer.headers.get('Content-Type')]).toEqual([200, 'text/plain; charset=utf-8']);
  expect(await answer.text()).toMatch(/^# Agent Payment Service\n/);
});

test('the 404 of GET / says where the service is described', async () =>
  expect((await (await root('application/json')).json()) as object).toMatchObject({ message: expect.stringContaining('/llms.txt') }));
