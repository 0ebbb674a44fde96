import { setTimeout as pause } from 'node:timers/promises';
import { startApp, type TestApp } from '../../../../test/support/app';
import { OperatorsService } from '../keys/operators/operators.service';
import { EVENT_TYPES } from '../events/event-types';
import { FanOut } from './deliveries/fan-out';
import { aTransferData } from '../events/event.builder';
import { OutboxService } from '../events/outbox.service';
import { RetentionService } from './retention.service';

let service: TestApp;
beforeAll(async () => void (service = await startApp()));
afterAll(() => service.close());

const PUBLIC_URL = 'https://example.com/hook';
const create = (body: object, key?: string): ReturnType<TestApp['send']> => service.send('post', '/v1/webhooks', key).send(body);
const change = (id: string, body: object, key?: string): ReturnType<TestApp['send']> =>
  service.send('patch', `/v1/webhooks/${id}`, key).send(body);
const fieldsOf = (body: { details: { field: string }[] }): string[] => body.details.map(({ field }) => field);

describe('POST /v1/webhooks rejects', () => {
  test.each<[object, string[]]>([
    [{}, ['url']],
    [{ url: null }, ['url']],
    [{ url: 7 }, ['url']],
    [{ url: '' }, ['url']],
    [{ url: 'https://user:word@example.com' }, ['url']],
    [{ url: 'http://example.com' }, ['url']],
    [{ url: 'https://127.0.0.1/x' }, ['url']],
    [{ url: 'https://[::ffff:10.0.0.1]/x' }, ['url']],
    [{ url: 'https://localhost' }, ['url']],
    [{ url: `https://example.com/${'a'.repeat(2029)}` }, ['url']],
    [{ url: PUBLIC_URL, events: 'transfer.settled' }, ['events']],
    [{ url: PUBLIC_URL, events: ['transfer.settled', 'transfer.lost'] }, ['events[1]']],
    [{ url: PUBLIC_URL, events: ['webhook.test'] }, ['events[0]']],
    [{ url: PUBLIC_URL, events: ['transfer.settled', 'transfer.settled'] }, ['events[1]']],
    [{ url: PUBLIC_URL, account_ids: ['acct_unknown'] }, ['account_ids[0]']],
    [{ url: PUBLIC_URL, account_ids: Array.from({ length: 101 }, (_, index) => `acct_${index}`) }, ['account_ids']],
    [{ url: PUBLIC_URL, account_ids: [7] }, ['account_ids[0]']],
    ...[-1, '5', 0.0000001, 1_000_000_001, true, []].map((threshold): [object, string[]] => [
      { url: PUBLIC_URL, low_balance_threshold_usdc: threshold },
      ['low_balance_threshold_usdc'],
    ]),
    [{ url: PUBLIC_URL, secret: 'mine', status: 'paused' }, ['secret', 'status']],
  ])('%j', async (given, fields) => {
    expect(fieldsOf((await create(given).expect(400)).body)).toEqual(fields);
  });

  test("another operator's account, and an agent key", async () => {
    const other = await service.app.get(OperatorsService).create('another');
    const [own, foreign] = [await service.insertAccount(), await service.insertAccount(other.operator.id)];
    expect(fieldsOf((await create({ url: PUBLIC_URL, account_ids: [own, foreign] }).expect(400)).body)).toEqual(['account_ids[1]']);
    const { body: agent } = await service
      .send('post', '/v1/api_keys')
      .send({ type: 'agent', account_ids: [own] })
      .expect(201);
    await create({ url: PUBLIC_URL }, agent.key).expect(403);
    for (const path of ['webhooks', 'events']) await service.send('get', `/v1/${path}`, agent.key).expect(403);
  });
});

test('a webhook shows its secret once, and the database does not contain it', async () => {
  const account = await service.insertAccount();
  const wanted = { url: `${PUBLIC_URL}?a=1`, events: ['balance.low_threshold'], account_ids: [account], low_balance_threshold_usdc: 10.5 };
  const { body } = await create(wanted).expect(201);
  const { secret, ...view } = body;
  const unused = { health: 'unused', failing_since: null, delivered: 0, failed: 0 };
  const made = { webhook_id: expect.stringMatching(/^wh_/), status: 'active', created_at: expect.stringMatching(/Z$/) };
  expect(view).toEqual({ ...wanted, fleet_ids: [], ...made, ...unused });
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect((await service.send('get', `/v1/webhooks/${view.webhook_id}`).expect(200)).body).toEqual(view);
  expect((await service.send('get', '/v1/webhooks').expect(200)).body.data).toContainEqual(view);
  expect(JSON.stringify(await service.database.query('SELECT * FROM webhooks'))).not.toContain(secret.slice(6));
});

test('a webhook without filters gets all events of all accounts', async () => {
  for (const body of [{}, { events: null, account_ids: null, low_balance_threshold_usdc: null }, { events: [], account_ids: [] }]) {
    expect((await create({ url: PUBLIC_URL, ...body }).expect(201)).body).toMatchObject({
      events: [],
      account_ids: [],
      low_balance_threshold_usdc: null,
    });
  }
  expect(
    (await create({ url: PUBLIC_URL, events: [...EVENT_TYPES], low_balance_threshold_usdc: 1_000_000_000 }).expect(201)).body.events,
  ).toEqual([...EVENT_TYPES]);
});

test('PATCH /v1/webhooks/:id keeps the fields that it does not name', async () => {
  const account = await service.insertAccount();
  const { secret, ...view } = (
    await create({ url: PUBLIC_URL, events: ['transfer.settled'], account_ids: [account], low_balance_threshold_usdc: 1 }).expect(201)
  ).body;
  const id = view.webhook_id;
  expect(secret).toBeDefined();
  expect((await change(id, {}).expect(200)).body).toEqual(view);
  expect((await change(id, { status: 'paused' }).expect(200)).body).toEqual({ ...view, status: 'paused' });
  expect((await change(id, { url: 'https://example.org/', status: 'active' }).expect(200)).body).toEqual({
    ...view,
    url: 'https://example.org/',
  });
  expect((await change(id, { events: null, account_ids: [], low_balance_threshold_usdc: null }).expect(200)).body).toMatchObject({
    events: [],
    account_ids: [],
    low_balance_threshold_usdc: null,
  });
  for (const [body, fields] of [
    [{ url: null }, ['url']],
    [{ url: 'https://10.1.1.1' }, ['url']],
    [{ status: 'deleted' }, ['status']],
    [{ status: null }, ['status']],
    [{ account_ids: ['acct_x'] }, ['account_ids[0]']],
    [{ created_at: 'x' }, ['created_at']],
  ] as const) {
    expect(fieldsOf((await change(id, body).expect(400)).body)).toEqual(fields);
  }
});

/** Every request of one webhook. */
const requestsOf = (path: string) =>
  [
    ['get', path],
    ['delete', path],
    ['patch', path],
    ['post', `${path}/rotate_secret`],
    ['post', `${path}/test`],
    ['post', `${path}/replay`],
    ['get', `${path}/deliveries`],
  ] as const;

test('a deleted webhook is 404 everywhere, and its secret is deleted', async () => {
  const { body } = await create({ url: PUBLIC_URL, account_ids: [await service.insertAccount()] }).expect(201);
  const path = `/v1/webhooks/${body.webhook_id}`;
  expect((await service.send('delete', path).expect(204)).text).toBe('');
  for (const [method, at] of requestsOf(path)) await service.send(method, at).expect(404);
  expect(await service.database.query('SELECT secret_sealed FROM webhooks WHERE id = $1', [body.webhook_id])).toEqual([
    { secret_sealed: null },
  ]);
});

test("another operator's webhook is 404 for every request", async () => {
  const { body } = await create({ url: PUBLIC_URL }).expect(201);
  const { key } = (await service.app.get(OperatorsService).create('another')).key;
  const path = `/v1/webhooks/${body.webhook_id}`;
  for (const [method, at] of requestsOf(path)) await service.send(method, at, key).expect(404);
  expect((await service.send('get', '/v1/webhooks', key).expect(200)).body.data).toEqual([]);
  for (const id of ['wh_unknown', 'evt_01k9x00000000000000000000', '%20', 'x'.repeat(500)])
    await service.send('get', `/v1/webhooks/${id}`).expect(404);
});

test('rotate_secret returns a new secret and keeps the previous one for a day', async () => {
  const { body } = await create({ url: PUBLIC_URL }).expect(201);
  const { body: rotated } = await service.send('post', `/v1/webhooks/${body.webhook_id}/rotate_secret`).expect(200);
  expect(rotated).toEqual({ ...body, secret: expect.stringMatching(/^whsec_/) });
  expect(rotated.secret).not.toBe(body.secret);
  const [row] = await service.database.query(
    `SELECT previous_secret_until - now() BETWEEN '23:59' AND '24:01' AS for_a_day FROM webhooks WHERE id = $1`,
    [body.webhook_id],
  );
  expect(row).toEqual({ for_a_day: true });
  await service.send('post', `/v1/webhooks/${body.webhook_id}/rotate_secret`).send({ secret: 'mine' }).expect(400);
});

test('a hundred concurrent registrations are a hundred webhooks, and later ones do not shift the pages', async () => {
  const { key } = (await service.app.get(OperatorsService).create('busy')).key;
  const answers = await Promise.all(Array.from({ length: 100 }, () => create({ url: PUBLIC_URL }, key)));
  expect(answers.map(({ status }) => status)).toEqual(Array(100).fill(201));
  const { body: first } = await service.send('get', '/v1/webhooks?limit=60', key).expect(200);
  await create({ url: PUBLIC_URL }, key).expect(201);
  const { body: second } = await service.send('get', `/v1/webhooks?limit=60&cursor=${first.cursor}`, key).expect(200);
  expect(new Set([...first.data, ...second.data].map(({ webhook_id }) => webhook_id))).toEqual(
    new Set(answers.map(({ body }) => body.webhook_id)),
  );
  expect(second.has_more).toBe(false);
});

test('a token in a webhook’s URL is in clear neither in the database nor in the audit log, and the API shows it', async () => {
  const url = 'https://hooks.example.com/services/T0/secret-token-1';
  const { body: webhook } = await create({ url }).expect(201);
  const { body: changed } = await service
    .send('patch', `/v1/webhooks/${webhook.webhook_id}`)
    .send({ url: `${url}2` })
    .expect(200);
  expect([webhook.url, changed.url]).toEqual([url, `${url}2`]);
  const rows = await service.database.query('SELECT * FROM webhooks WHERE id = $1', [webhook.webhook_id]);
  const entries = await service.database.query('SELECT * FROM audit_log WHERE object = $1', [webhook.webhook_id]);
  expect(entries).toHaveLength(2);
  expect(JSON.stringify(entries)).toContain('https://hooks.example.com/… (SHA-256 ');
  expect(JSON.stringify([rows, entries])).not.toContain('secret-token');
});

test('an operator has at most 1,000 webhooks, also by concurrent registrations', async () => {
  const { operator, key } = await service.app.get(OperatorsService).create('full');
  const [{ id }] = await service.database.query('SELECT id FROM webhooks LIMIT 1');
  await service.database.query(
    `INSERT INTO webhooks (id, operator_id, url_sealed, events, all_accounts, threshold_since, status, secret_sealed, created_at)
     SELECT 'wh_' || number, $1, url_sealed, events, true, now(), 'active', 'x', now() FROM generate_series(1, 999) number, webhooks WHERE webhooks.id = $2`,
    [operator.id, id],
  );
  const answers = await Promise.all([1, 2, 3].map(() => create({ url: PUBLIC_URL }, key.key)));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
});

describe('GET /v1/events', () => {
  const events = async (query = ''): Promise<{ id: string; created_at: string }[]> =>
    (await service.send('get', `/v1/events${query}`).expect(200)).body.data;

  test('lists events newest first, filters by type, account and time, and shows a single event', async () => {
    const outbox = service.app.get(OutboxService);
    const [a, b] = [await service.insertAccount(), await service.insertAccount()];
    const recordEvent = (accountId: string, type: 'transfer.settled' | 'transfer.rejected') =>
      service.database.transaction((manager) =>
        outbox.record(manager, { operatorId: service.operatorId, accountId, type, data: aTransferData(accountId) }),
      );
    const first = await recordEvent(a, 'transfer.settled');
    await pause(2);
    const [second, third] = [await recordEvent(a, 'transfer.rejected'), await recordEvent(b, 'transfer.settled')];
    expect((await events()).slice(0, 3).map(({ id }) => id)).toEqual([third.id, second.id, first.id]);
    expect((await events(`?account_id=${a}`)).map(({ id }) => id)).toEqual([second.id, first.id]);
    expect((await events(`?account_id=${a}&type=transfer.settled`)).map(({ id }) => id)).toEqual([first.id]);
    expect((await events(`?account_id=${a}&since=${first.createdAt.toISOString()}`)).map(({ id }) => id)).toEqual([second.id]);
    expect(await events('?account_id=acct_unknown')).toEqual([]);
    const { body } = await service.send('get', `/v1/events?limit=1&account_id=${a}`).expect(200);
    expect((await events(`?limit=1&account_id=${a}&cursor=${body.cursor}`)).map(({ id }) => id)).toEqual([first.id]);
    expect((await service.send('get', `/v1/events/${second.id}`).expect(200)).body).toEqual({
      id: second.id,
      type: 'transfer.rejected',
      created_at: second.createdAt.toISOString(),
      account_id: a,
      sequence: 2,
      data: aTransferData(a),
    });
    const { key } = (await service.app.get(OperatorsService).create('another')).key;
    await service.send('get', `/v1/events/${second.id}`, key).expect(404);
    expect((await service.send('get', '/v1/events', key).expect(200)).body.data).toEqual([]);
  });

  test.each(['type=transfer.lost', 'since=yesterday', 'limit=0', 'limit=101', 'cursor=x', 'status=new'])(
    'with the query %s is 400',
    (query) => service.send('get', `/v1/events?${query}`).expect(400),
  );

  test('shows no event after 30 days, and the retention job deletes all but those still being delivered', async () => {
    const { operator, key } = await service.app.get(OperatorsService).create('old');
    const accountId = await service.insertAccount(operator.id);
    const { body: webhook } = await create({ url: PUBLIC_URL, events: ['transfer.settled'] }, key.key).expect(201);
    const recordEvent = (type: 'transfer.settled' | 'transfer.rejected') =>
      service.database.transaction((manager) =>
        service.app.get(OutboxService).record(manager, { operatorId: operator.id, accountId, type, data: aTransferData(accountId) }),
      );
    const [pending, delivered] = [await recordEvent('transfer.settled'), await recordEvent('transfer.rejected')];
    await service.app.get(FanOut).run();
    const left = async () =>
      (await service.database.query('SELECT id FROM events WHERE operator_id = $1 ORDER BY id', [operator.id])).map(
        ({ id }: { id: string }) => id,
      );
    service.clock.advance({ seconds: 30 * 86_400 - 60 });
    expect((await service.send('get', '/v1/events', key.key).expect(200)).body.data).toHaveLength(2);
    service.clock.advance({ seconds: 120 });
    expect((await service.send('get', '/v1/events', key.key).expect(200)).body.data).toEqual([]);
    await service.send('get', `/v1/events/${delivered.id}`, key.key).expect(404);
    await service.app.get(RetentionService).run();
    expect(await left()).toEqual([pending.id]);
    await service.send('delete', `/v1/webhooks/${webhook.webhook_id}`, key.key).expect(204);
    await service.app.get(RetentionService).run();
    await service.app.get(RetentionService).run();
    expect([await left(), await service.database.query('SELECT 1 FROM webhooks WHERE operator_id = $1', [operator.id])]).toEqual([[], []]);
  });
});
