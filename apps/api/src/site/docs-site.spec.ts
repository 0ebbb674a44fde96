import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import express from 'express';
import request from 'supertest';
import { DocsSiteController } from './docs-site.controller';

const folder = mkdtempSync(join(tmpdir(), 'aps-docs-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** The documentation in a folder of this test. */
class Documentation extends DocsSiteController {
  protected override readonly folder = folder;
}
const site = new Documentation();
const app = express().use((asked, response) => site.show(asked, response));

test('a page of the documentation is 503 with Retry-After while it is built, loads itself again, and is then served', async () => {
  const early = await request(app).get('/docs/api').expect(503);
  expect(early.headers).toMatchObject({ 'retry-after': '3', 'cache-control': 'no-store', 'content-type': 'text/html; charset=utf-8' });
  expect(early.text).toContain('The documentation is being built.');
  expect(early.text).toContain('<meta http-equiv="refresh" content="3">');
  writeFileSync(join(folder, 'api.html'), '<p>The reference</p>');
  await request(app).get('/docs/api').expect(503);
  mkdirSync(join(folder, 'adr'));
  writeFileSync(join(folder, 'adr', 'index.html'), '<a href="../errors">errors</a>');
  writeFileSync(join(folder, 'built.txt'), '');
  expect((await request(app).get('/docs/api').expect(200)).text).toBe('<p>The reference</p>');
});

test('the page of a folder is sent to its path with a final slash, which its relative links need', async () => {
  expect((await request(app).get('/docs/adr').expect(301)).headers.location).toBe('/docs/adr/');
  expect((await request(app).get('/docs/adr/').expect(200)).text).toContain('errors');
});
