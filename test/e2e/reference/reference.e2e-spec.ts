import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { api } from '../../support/api';
import { findBrowser, startBrowser } from '../../support/browser';
import { sharedService } from '../../support/service';

jest.setTimeout(120_000);

const ROOT = join(__dirname, '..', '..', '..');
const found = findBrowser();
const withBrowser = found ? test : test.skip;

const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(new URL(path, sharedService().baseUrl), { headers });

test('GET /openapi.json serves docs/openapi.json without a key, and 304 to a client that has it', async () => {
  const { status, body, headers } = await api(sharedService().baseUrl).get('/openapi.json');
  expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
  expect(body).toEqual(JSON.parse(readFileSync(join(ROOT, 'docs', 'openapi.json'), 'utf8')));
  expect((await get('/openapi.json', { 'If-None-Match': headers.get('etag') ?? '' })).status).toBe(304);
});

test('GET /docs/api serves the reference page with security headers and no other file of its package', async () => {
  const page = await get('/docs/api');
  expect([page.status, page.headers.get('x-content-type-options'), page.headers.get('x-frame-options')]).toEqual([200, 'nosniff', 'DENY']);
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self';");
  for (const path of ['/docs/api/package.json', '/docs/api/..%2fpackage.json', '/docs/api/swagger-ui.js'])
    expect((await get(path)).status).toBe(404);
});

withBrowser('the reference page shows an operation in a browser, without a byte from another host or a violation of its CSP', async () => {
  if (!found) return;
  const browser = await startBrowser(found);
  try {
    const page = await browser.newPage();
    const complaints: string[] = [];
    const hosts = new Set<string>();
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('request', (request) => request.url().startsWith('data:') || hosts.add(new URL(request.url()).origin));
    await page.goto(`${sharedService().baseUrl}/docs/api`);
    await page.getByText('Pays an account or an address').click();
    await page.getByText('A decline (402) is final for its key.').first().waitFor();
    await page.locator('.opblock.is-open .responses-table').first().waitFor();
    expect([[...hosts], complaints]).toEqual([[sharedService().baseUrl], []]);
  } finally {
    await browser.close();
  }
});
