import { get as httpGet, type IncomingMessage } from 'node:http';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type supertest from 'supertest';
import { firstIdAt, newId } from '#database';
import { startApp, type TestApp } from '../../../../test/support/app';
import { DashboardSession } from '../../../../test/support/dashboard-session';
import { eventually } from '../../../../test/support/eventually';
import { OperatorsService } from '../keys/operators/operators.service';
import { PageController } from './page.controller';
import { readFiles } from '../site/static-files';

let app: TestApp;
beforeAll(async () => void (app = await startApp()));
afterAll(() => app.close());

const { fromPage, signIn } = new DashboardSession(() => app);
const newKey = async (body: object): Promise<{ key: string; key_id: string }> =>
  (await app.send('post', '/v1/api_keys').send(body).expect(201)).body;

async function anOperator(): Promise<{ id: string; key: string }> {
  const { operator, key } = await app.app.get(OperatorsService).create('another');
  return { id: operator.id, key: key.key };
}

describe('data of the dashboard', () => {
  test('has the totals of the operator and of no other', async () => {
    const [own, other] = [await anOperator(), await anOperator()];
    const [mine, theirs] = [await app.insertAccount(own.id), await app.insertAccount(other.id)];
    const cookie = await signIn(own.key);
    const now = app.clock.now();
    for (const [account, hoursAgo, microUsdc, type, direction] of [
      [mine, 0, 1_500_000, 'transfer', 'out'],
      [mine, 3, 2_000_000, 'session_settlement', 'out'],
      [mine, 3, 250_001, 'transfer', 'out'],
      [mine, 3, 0, 'session_settlement', 'out'],
      [mine, 3, 9_000_000, 'transfer', 'in'],
      [mine, 3, 9_000_000, 'deposit', 'in'],
      [mine, 60, 7_000_000, 'transfer', 'out'],
      [theirs, 0, 9_000_000, 'transfer', 'out'],
    ] as const) {
      const at = new Date(Math.floor(now.getTime() / 3_600_000) * 3_600_000 - hoursAgo * 3_600_000 + 1);
      const id = firstIdAt('txn', at).slice(0, 14) + newId('txn').slice(14);
      await app.database.query(
        `INSERT INTO ledger_entries (id, operator_id, account_id, type, direction, micro_usdc, counterparty, signature, session_id, order_id, created_at, settled_at)
         SELECT $1, operator_id, id, $3, $4, $5::bigint, 'x', $1, NULL, $6::text, $7::timestamptz, $7::timestamptz FROM accounts WHERE id = $2`,
        [id, account, type, direction, microUsdc, null, at],
      );
    }
    await app.database.query('UPDATE accounts SET read_micro_usdc = 1234567, paused = true WHERE id = $1', [mine]);
    const { body } = await fromPage('get', '/dashboard/data/overview', cookie).expect(200);
    expect(body).toMatchObject({
      accounts: 1,
      paused_accounts: 1,
      balance_usdc: '1.234567',
      pending_approvals: 0,
      open_sessions: 0,
      undelivered: 0,
    });
    for (const [last, count] of [
      ['24h', 24],
      ['7d', 7],
      ['30d', 30],
    ])
      expect((await fromPage('get', `/dashboard/data/spans?last=${last}`, cookie).expect(200)).body.data).toHaveLength(Number(count));
    await fromPage('get', '/dashboard/data/spans?last=1y', cookie).expect(400);
    const { data: hours } = (await fromPage('get', '/dashboard/data/spans?last=24h', cookie).expect(200)).body;
    expect(
      hours
        .filter((hour: { settled_count: number }) => hour.settled_count > 0)
        .map(({ settled_usdc, settled_count }: { settled_usdc: string; settled_count: number }) => [settled_usdc, settled_count]),
    ).toEqual([
      ['2.250001', 2],
      ['1.500000', 1],
    ]);
    expect((await fromPage('get', '/dashboard/data/approvals', cookie).expect(200)).body).toEqual({ data: [] });
  });

  test('lists the accounts with what they sent, were declined and set aside in 24 hours, those of no other operator, and closed ones', async () => {
    const [own, other] = [await anOperator(), await anOperator()];
    const [first, second, closed] = [await app.insertAccount(own.id), await app.insertAccount(own.id), await app.insertAccount(own.id)];
    await app.insertAccount(other.id);
    const now = app.clock.now();
    const entries = [
      ['transfer', 'out', 1_500_000, 0],
      ['transfer', 'out', 2_000_000, 25],
      ['transfer', 'in', 9_000_000, 0],
      ['rejection', 'out', 7_000_000, 1],
    ] as const;
    for (const [type, direction, microUsdc, hoursAgo] of entries)
      await app.database.query(
        `INSERT INTO ledger_entries (id, operator_id, account_id, type, direction, micro_usdc, counterparty, signature, rejection_reason, created_at, settled_at)
         VALUES ($1, $2, $3, $4, $5, $6, 'x', $1, $7, $8, $9)`,
        [
          newId('txn'),
          own.id,
          first,
          type,
          direction,
          microUsdc,
          type === 'rejection' ? 'paused' : null,
          new Date(now.getTime() - hoursAgo * 3_600_000),
          type === 'rejection' ? null : now,
        ],
      );
    await app.database.query(
      `UPDATE accounts SET policy = '{"max_single_transfer": 2.5, "max_daily_spend": null, "categories": ["data"]}', read_micro_usdc = 42, paused = true WHERE id = $1`,
      [first],
    );
    await app.database.query(`UPDATE accounts SET state = 'closed' WHERE id = $1`, [closed]);
    const cookie = await signIn(own.key);
    const { body } = await fromPage('get', '/dashboard/data/accounts', cookie).expect(200);
    expect(body.data.map(({ account_id, status }: { account_id: string; status: string }) => [account_id, status])).toEqual([
      [closed, 'closed'],
      [second, 'active'],
      [first, 'paused'],
    ]);
    expect(body).toMatchObject({ has_more: false });
    expect(body.data[2]).toMatchObject({
      balance_usdc: '0.000042',
      max_single_transfer: 2.5,
      max_daily_spend: null,
      has_lists: true,
      sent_usdc: '1.500000',
      sent_count: 1,
      declined_count: 1,
      reserved_usdc: '0.000000',
      last_activity_at: null,
    });
    expect((await fromPage('get', `/dashboard/data/accounts/${first}`, cookie).expect(200)).body.data).toEqual([body.data[2]]);
    const foreign = await fromPage('get', `/dashboard/data/accounts/${first}`, await signIn(other.key)).expect(200);
    expect(foreign.body.data).toEqual([]);
  });

  test('names keys, also revoked ones', async () => {
    const { key_id } = await newKey({ type: 'operator', name: 'laptop' });
    await app.send('delete', `/v1/api_keys/${key_id}`).expect(204);
    const { body } = await fromPage('get', '/dashboard/data/key_names', await signIn()).expect(200);
    expect(body.data).toContainEqual({ key_id, name: 'laptop', type: 'operator', is_revoked: true });
  });

  test('is 401 without a session and 403 for an agent key', async () => {
    const agent = await newKey({ type: 'agent', account_ids: [await app.insertAccount()] });
    for (const what of ['overview', 'approvals', 'accounts', 'accounts/acct_1', 'decisions', 'webhooks', 'key_names']) {
      await fromPage('get', `/dashboard/data/${what}`).expect(401);
      await app.send('get', `/dashboard/data/${what}`, agent.key).expect(403);
    }
    await app.send('get', '/dashboard/events', null).expect(401);
    await app.send('get', '/dashboard/events').expect(401);
    await app
      .send('get', '/dashboard/events', null)
      .set('Cookie', await signIn())
      .set('Sec-Fetch-Site', 'same-site')
      .expect(401);
  });
});

interface Stream {
  text: () => string;
  isOpen: () => boolean;
  close: () => void;
}

const listen = (cookie: string, headers: Record<string, string> = {}): Promise<Stream> =>
  new Promise((resolve, reject) => {
    const { port } = app.app.getHttpServer().address() as AddressInfo;
    const request = httpGet(
      { host: '127.0.0.1', port, path: '/dashboard/events', headers: { Cookie: cookie, ...headers } },
      (response: IncomingMessage) => {
        let [text, isOpen] = ['', true];
        response.on('data', (chunk: Buffer) => void (text += chunk.toString()));
        response.on('close', () => void (isOpen = false));
        if (response.statusCode === 200) resolve({ text: () => text, isOpen: () => isOpen, close: () => request.destroy() });
        else reject(new Error(String(response.statusCode)));
      },
    );
    request.on('error', reject);
  });

test.each([
  ['/dashboard/events', '/dashboard/activity'],
  ['/dashboard/data/accounts/acct_1', '/dashboard/accounts/acct_1'],
])('a browser that opens %s is sent to %s', async (path, page) => {
  const { headers } = await app.send('get', path, null).set('Accept', 'text/html,*/*;q=0.8').expect(302);
  expect(headers.location).toBe(page);
});

describe('GET /dashboard/events', () => {
  async function happen(account: string, operatorId = app.operatorId): Promise<string> {
    const id = newId('evt');
    const [{ next }] = await app.database.query('SELECT count(*) + 1 AS next FROM events WHERE account_id = $1', [account]);
    await app.database.query(
      `INSERT INTO events (id, operator_id, account_id, sequence, type, data, created_at) VALUES ($1, $2, $3, $4, 'transfer.settled', '{}', now())`,
      [id, operatorId, account, next],
    );
    return id;
  }

  test('sends each event of the operator once, and those since Last-Event-ID', async () => {
    const other = await anOperator();
    const [mine, theirs] = [await app.insertAccount(), await app.insertAccount(other.id)];
    const cookie = await signIn();
    const first = await listen(cookie);
    const sent = await happen(mine);
    const foreign = await happen(theirs, other.id);
    await eventually(() => expect(first.text()).toContain(`id: ${sent}\ndata: {"type":"transfer.settled","account_id":"${mine}"}`));
    const missed = await happen(mine);
    await eventually(() => expect(first.text()).toContain(missed));
    expect(first.text().split(sent)).toHaveLength(2);
    expect(first.text()).not.toContain(foreign);
    first.close();
    const again = await listen(cookie, { 'Last-Event-ID': sent });
    await eventually(() => expect(again.text()).toContain(missed));
    expect(again.text()).not.toContain(sent);
    again.close();
  });

  test('serves at most 20 streams of an operator', async () => {
    const cookie = await signIn((await anOperator()).key);
    const streams = await Promise.all(Array.from({ length: 20 }, () => listen(cookie)));
    await expect(listen(cookie)).rejects.toThrow('429');
    streams[0]?.close();
    await eventually(async () => (await listen(cookie)).close());
    for (const stream of streams) stream.close();
  });
});

describe('a file of the dashboard', () => {
  let directory: string;
  let page: PageController;
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'aps-page-'));
    mkdirSync(join(directory, 'assets'));
    for (const [name, text] of [
      ['index.html', '<!doctype html>'],
      ['favicon.svg', '<svg/>'],
      ['assets/index-1.js', 'let a;'],
      ['notes.md', 'not served'],
    ] as const)
      writeFileSync(join(directory, name), text);
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));
  beforeAll(() => {
    page = app.app.get(PageController);
    Object.assign(page, { files: readFiles(directory) });
  });

  const view = (path: string): supertest.Test => app.send('get', `/dashboard${path}`, null);

  test('is index.html for every view, with revalidation and a strict Content-Security-Policy', async () => {
    for (const path of ['', '/', '/accounts', '/accounts/acct_1', '/index.html']) {
      const { text, headers } = await view(path).expect(200);
      expect([
        text,
        headers['content-type'],
        headers['cache-control'],
        headers['x-frame-options'],
        headers['x-content-type-options'],
      ]).toEqual(['<!doctype html>', 'text/html; charset=utf-8', 'no-cache', 'DENY', 'nosniff']);
      expect(headers['content-security-policy']).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; manifest-src 'self'; base-uri 'none'; frame-ancestors 'none'",
      );
    }
    const { headers } = await view('').expect(200);
    await view('').set('If-None-Match', String(headers.etag)).expect(304);
  });

  test('in assets/ is immutable, and other paths are 404', async () => {
    const { text, headers } = await view('/assets/index-1.js').expect(200);
    expect([text, headers['content-type'], headers['cache-control'], headers['content-encoding']]).toEqual([
      'let a;',
      'text/javascript; charset=utf-8',
      'public, max-age=31536000, immutable',
      'gzip',
    ]);
    await view('/favicon.svg').expect(200);
    for (const path of [
      '/assets/other.js',
      '/assets/',
      '/notes.md',
      '/assets/../../package.json',
      '/%2e%2e/package.json',
      '/..%2fpackage.json',
      '/data/other',
    ])
      await view(path).expect(404);
    await app.send('post', '/dashboard', null).send({}).expect(405);
  });
});

test('an open event stream does not keep the service from stopping', async () => {
  const stream = await listen(await signIn());
  app.app.getHttpServer().close();
  await eventually(() => expect(stream.isOpen()).toBe(false));
});
