import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { api } from '../../support/api';
import { sharedService } from '../../support/service';

const ROOT = join(__dirname, '..', '..', '..');

const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(new URL(path, sharedService().baseUrl), { headers });

test('GET /openapi.json serves docs/openapi.json without a key, and 304 to a client that has it', async () => {
  const { status, body, headers } = await api(sharedService().baseUrl).get('/openapi.json');
  expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
  expect(body).toEqual(JSON.parse(readFileSync(join(ROOT, 'docs', 'openapi.json'), 'utf8')));
  expect((await get('/openapi.json', { 'If-None-Match': headers.get('etag') ?? '' })).status).toBe(304);
});

test('GET /client.tgz serves the client library as a package', async () => {
  const answer = await get('/client.tgz');
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/gzip']);
  expect(gunzipSync(Buffer.from(await answer.arrayBuffer())).toString('latin1')).toContain('"name": "@agent-payment-service/client"');
});

test('GET /docs/api serves the reference page with security headers and no other file of the repository', async () => {
  const page = await get('/docs/api');
  expect([page.status, page.headers.get('x-content-type-options'), page.headers.get('x-frame-options')]).toEqual([200, 'nosniff', 'DENY']);
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self'");
  for (const path of ['/docs/api/package.json', '/docs/api/..%2fpackage.json', '/docs/api/unknown'])
    expect((await get(path)).status).toBe(404);
});
