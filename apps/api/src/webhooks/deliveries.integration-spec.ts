import { Webhook as StandardWebhook } from 'standardwebhooks';
import { startApp, type TestApp } from '../../../../test/support/app';
import type { Body } from '../../../../test/support/api';
import { eventually } from '../../../../test/support/eventually';
import { startReceiver, type Received, type Receiver } from '../../../../test/support/receiver';
import { OperatorsService } from '../keys/operators.service';
import { ContinuousJobsService } from '../jobs/continuous-jobs.service';
import { DeliveryLoopService } from './delivery-loop.service';
import { DeliveryQueue } from './delivery-queue';
import { DeliverySender } from './delivery-sender';
import { FAN_OUT, FanOut } from './fan-out';
import { OutboxService } from '../events/outbox.service';
import { verifyWebhook } from './verify-webhook';

let service: TestApp;
let stop: AbortController;
let running: Promise<unknown>;
const receivers: Receiver[] = [];

beforeAll(async () => {
  service = await startApp({ variables: { ALLOW_PRIVATE_URLS: 'true', WEBHOOK_RETRY_SECONDS: '0,0' } });
  run(2);
});
/** A receiver that hangs is let go of: nobody waits for its 15 seconds. */
afterEach(() => receivers.splice(0).forEach((receiver) => receiver.close()));
afterAll(async () => {
  await halt();
  await service.close();
});

/** So many workers over the one database, as far as webhooks go. */
function run(workers: number): void {
  stop = new AbortController();
  const loops = Array.from({ length: workers }, () => {
    const own = new ContinuousJobsService();
    new DeliveryLoopService(own, service.app.get(FanOut), service.app.get(DeliveryQueue), service.app.get(DeliverySender)).onModuleInit();
    return own.all()[0]?.run(stop.signal);
  });
  running = Promise.all(loops);
}

async function halt(): Promise<void> {
  stop.abort();
  await running;
}

async function aReceiver(answer?: Receiver['answer']): Promise<Receiver> {
  const receiver = await startReceiver(answer);
  receivers.push(receiver);
  return receiver;
}

const post = async (path: string, body: object, status: number): Promise<Body> =>
  (await service.send('post', path).send(body).expect(status)).body;
const aWebhook = (receiver: Receiver, more: object = {}): Promise<Body> => post('/v1/webhooks', { url: receiver.url, ...more }, 201);
const deliveriesOf = async ({ webhook_id }: Body, query = ''): Promise<Body[]> =>
  (await service.send('get', `/v1/webhooks/${webhook_id}/deliveries?limit=100${query}`).expect(200)).body.data;
const change = (webhook: Body, body: object): Promise<unknown> =>
  service.send('patch', `/v1/webhooks/${webhook.webhook_id}`).send(body).expect(200);

/** Events of one new account, told to whom it may concern. */
async function tell(
  count = 1,
  { accountId, type = 'transfer.settled' }: { accountId?: string; type?: 'transfer.settled' | 'transfer.rejected' } = {},
): Promise<string> {
  const of = accountId ?? (await service.insertAccount());
  const outbox = service.app.get(OutboxService);
  const rows = Array.from({ length: count }, (_, index) =>
    outbox.row({ operatorId: service.operatorId, accountId: of, type, data: { index, account_id: of, note: 'ünï¢ode "quoted"' } }),
  );
  await service.database.query('SELECT record_event(row) FROM jsonb_array_elements($1) row', [JSON.stringify(rows)]);
  return of;
}

/** A webhook of one account's own, so that tests do not meet. */
async function aPrivateWebhook(receiver: Receiver, more: object = {}): Promise<{ webhook: Body; accountId: string }> {
  const accountId = await service.insertAccount();
  return { webhook: await aWebhook(receiver, { account_ids: [accountId], ...more }), accountId };
}

const ended = (webhook: Body, count: number): Promise<Body[]> =>
  eventually(async () => {
    const deliveries = await deliveriesOf(webhook);
    expect(deliveries.filter(({ status }) => status !== 'pending')).toHaveLength(count);
    return deliveries;
  });

function verified(received: Received | undefined, secret: string): boolean {
  if (!received) return false;
  const { raw, headers } = received;
  new StandardWebhook(secret).verify(raw, headers as Record<string, string>);
  return verifyWebhook(raw, String(headers['x-service-signature']), secret);
}

describe('a delivery', () => {
  test('carries the event, and signatures that our own helper and the stock library take', async () => {
    const receiver = await aReceiver();
    const { webhook, accountId } = await aPrivateWebhook(receiver);
    await tell(1, { accountId });
    const [delivery] = await ended(webhook, 1);
    const [got] = receiver.received;
    expect(got?.event).toEqual({
      id: delivery.event_id,
      type: 'transfer.settled',
      created_at: expect.stringMatching(/Z$/),
      account_id: accountId,
      sequence: 1,
      data: { index: 0, account_id: accountId, note: 'ünï¢ode "quoted"' },
    });
    expect((await service.send('get', `/v1/events/${delivery.event_id}`).expect(200)).body).toEqual(got?.event);
    expect(got?.headers).toMatchObject({
      'content-type': 'application/json',
      'x-service-event-id': delivery.event_id,
      'webhook-id': delivery.event_id,
      'x-service-delivery-id': delivery.delivery_id,
      'x-service-attempt': '1',
    });
    expect(got?.headers).not.toHaveProperty('x-service-signature-previous');
    expect(verified(got, webhook.secret)).toBe(true);
    expect(verifyWebhook(`${got?.raw} `, String(got?.headers['x-service-signature']), webhook.secret)).toBe(false);
    expect(delivery).toEqual({
      delivery_id: expect.stringMatching(/^dlv_/),
      webhook_id: webhook.webhook_id,
      event_id: delivery.event_id,
      event_type: 'transfer.settled',
      status: 'delivered',
      next_attempt_at: null,
      attempts: [
        {
          attempt: 1,
          at: expect.stringMatching(/Z$/),
          status_code: 200,
          duration_ms: expect.any(Number),
          error: null,
          response_excerpt: 'ok',
        },
      ],
      created_at: got?.event.created_at,
    });
  });

  test('that fails is tried again by the schedule, with the same bytes, and then given up', async () => {
    const receiver = await aReceiver((response) => void response.writeHead(500).end('no\0 \xff'));
    const { webhook, accountId } = await aPrivateWebhook(receiver);
    await tell(1, { accountId });
    const [delivery] = await ended(webhook, 1);
    expect(delivery).toMatchObject({ status: 'undelivered', next_attempt_at: null });
    expect(delivery.attempts.map(({ attempt, status_code, error }: Body) => [attempt, status_code, error])).toEqual(
      [1, 2, 3].map((attempt) => [attempt, 500, 'The receiver answered 500']),
    );
    expect(receiver.received.map(({ headers }) => headers['x-service-attempt'])).toEqual(['1', '2', '3']);
    expect(
      new Set(receiver.received.map(({ raw, headers }) => raw + String(headers['webhook-id']) + String(headers['x-service-signature'])))
        .size,
    ).toBe(1);
    expect(await deliveriesOf(webhook, '&status=undelivered')).toHaveLength(1);
    expect(await deliveriesOf(webhook, '&status=delivered')).toEqual([]);

    receiver.answer = (response) => void response.writeHead(204).end();
    const replayed = await post(`/v1/deliveries/${delivery.delivery_id}/replay`, {}, 202);
    expect(replayed).toMatchObject({ delivery_id: delivery.delivery_id, status: 'pending' });
    const again = await eventually(async () => {
      const { body } = await service.send('get', `/v1/deliveries/${delivery.delivery_id}`).expect(200);
      expect(body.status).toBe('delivered');
      return body;
    });
    expect(again.attempts.map(({ attempt }: Body) => attempt)).toEqual([1, 2, 3, 4]);
    expect(receiver.received.at(-1)).toMatchObject({ raw: receiver.received[0]?.raw, headers: { 'x-service-attempt': '4' } });
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => service.send('post', `/v1/deliveries/${delivery.delivery_id}/replay`)),
    );
    expect(answers.filter(({ status }) => status === 409).length).toBeGreaterThan(0);
    await eventually(() => expect(receiver.received).toHaveLength(4 + answers.filter(({ status }) => status === 202).length));
  });

  test.each([
    ['redirects', (response) => void response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end(), 302, 'redirects are not followed'],
    ['says nothing', () => undefined, null, 'No answer within 0.6 s'],
    ['cuts the connection', (response) => void response.destroy(), null, 'cut before an answer'],
    ['answers 404 at length', (response) => void response.writeHead(404).end('x'.repeat(20_000)), 404, '404'],
  ] as [string, Receiver['answer'], number | null, string][])('to a receiver that %s has failed', async (_what, answer, status, error) => {
    service.config.WEBHOOK_TIMEOUT_MS = 600;
    const receiver = await aReceiver(answer);
    const { webhook, accountId } = await aPrivateWebhook(receiver);
    await tell(1, { accountId });
    const { attempts } = await eventually(async () => {
      const [delivery] = await deliveriesOf(webhook);
      expect(delivery?.attempts.length).toBeGreaterThan(0);
      return delivery;
    });
    expect(attempts[0]).toMatchObject({
      status_code: status,
      error: expect.stringContaining(error),
      response_excerpt: status === null ? null : expect.any(String),
    });
    expect((attempts[0].response_excerpt ?? '').length).toBeLessThanOrEqual(8_192);
    service.config.WEBHOOK_TIMEOUT_MS = 15_000;
  });

  test('to a receiver whose body never ends has succeeded', async () => {
    const receiver = await aReceiver((response) => {
      response.writeHead(200);
      const flood = (): void =>
        void (response.destroyed || (response.write(Buffer.alloc(4_096, 'x')) ? setImmediate(flood) : response.once('drain', flood)));
      flood();
    });
    const { webhook, accountId } = await aPrivateWebhook(receiver);
    await tell(1, { accountId });
    const [delivery] = await ended(webhook, 1);
    expect(delivery.attempts).toMatchObject([{ status_code: 200, response_excerpt: 'x'.repeat(8_192) }]);
  });

  test('to a name without address says so, and nothing of the inside', async () => {
    const { webhook, accountId } = await aPrivateWebhook({ url: 'http://nowhere.invalid/' } as Receiver);
    await tell(1, { accountId });
    const [delivery] = await eventually(async () => {
      const deliveries = await deliveriesOf(webhook);
      expect(deliveries[0]?.attempts.length).toBeGreaterThan(0);
      return deliveries;
    });
    expect(delivery.attempts[0]).toMatchObject({ status_code: null, error: 'The name has no address' });
  });

  test("that is under way cannot be replayed, nor can a stranger's", async () => {
    const receiver = await aReceiver(() => undefined);
    const { webhook, accountId } = await aPrivateWebhook(receiver);
    await tell(1, { accountId });
    await eventually(() => expect(receiver.received).toHaveLength(1));
    const [delivery] = await deliveriesOf(webhook, '&status=pending');
    const path = `/v1/deliveries/${delivery.delivery_id}/replay`;
    expect(await post(path, {}, 409)).toMatchObject({ error: 'conflict', status: 'pending' });
    await post(path, { force: true }, 400);
    const { key } = (await service.app.get(OperatorsService).create('another')).key;
    await service.send('post', path, key).expect(404);
    await service.send('delete', `/v1/webhooks/${webhook.webhook_id}`).expect(204);
    await post(path, {}, 404);
  });
});

describe('a webhook', () => {
  test('gets the types and accounts it asked for, each event once, whoever fans out', async () => {
    const accountId = await service.insertAccount();
    const everything = await aReceiver();
    const [all, one, typed] = [
      await aWebhook(everything),
      await aWebhook(everything, { account_ids: [accountId] }),
      await aWebhook(everything, { account_ids: [accountId], events: ['transfer.rejected'] }),
    ];
    await halt();
    await tell(20, { accountId });
    await tell(20, { accountId, type: 'transfer.rejected' });
    await tell(20);
    await Promise.all(Array.from({ length: 10 }, () => service.app.get(FanOut).run()));
    const counts = async (): Promise<number[]> =>
      (await Promise.all([all, one, typed].map((webhook) => deliveriesOf(webhook)))).map(({ length }) => length);
    expect(await counts()).toEqual([60, 40, 20]);
    run(2);
    await eventually(() => expect(everything.received).toHaveLength(120));
    expect(new Set(everything.received.map(({ headers }) => headers['x-service-delivery-id'])).size).toBe(120);
    await service.send('delete', `/v1/webhooks/${all.webhook_id}`).expect(204);
  });

  test('gets nothing that happened before it was there', async () => {
    await halt();
    const accountId = await tell(3);
    const receiver = await aReceiver();
    const webhook = await aWebhook(receiver, { account_ids: [accountId] });
    await tell(1, { accountId });
    run(2);
    await eventually(() => expect(receiver.received.map(({ event }) => event.sequence)).toEqual([4]));
    expect(await deliveriesOf(webhook)).toHaveLength(1);
  });

  test('that hangs delays no other', async () => {
    const [hanging, swift] = [await aReceiver(() => undefined), await aReceiver()];
    const accountId = await service.insertAccount();
    const webhook = await aWebhook(hanging, { account_ids: [accountId] });
    await aWebhook(swift, { account_ids: [accountId] });
    await tell(100, { accountId });
    // Less than the 15 seconds for which the other one hangs.
    await eventually(() => expect(swift.received).toHaveLength(100), { timeoutMs: 12_000 });
    await service.send('delete', `/v1/webhooks/${webhook.webhook_id}`).expect(204);
  });

  test('that is paused in the middle is sent nothing more, and all the rest when it is active again', async () => {
    const receiver = await aReceiver((response) => void setTimeout(() => response.writeHead(200).end(), 30));
    const { webhook, accountId } = await aPrivateWebhook(receiver);
    await tell(1_000, { accountId });
    await eventually(() => expect(receiver.received.length).toBeGreaterThan(20));
    await change(webhook, { status: 'paused' });
    await tell(5, { accountId });
    await eventually(async () =>
      expect(
        Number(
          (await service.database.query(`SELECT count(*) FROM webhook_deliveries WHERE webhook_id = $1`, [webhook.webhook_id]))[0].count,
        ),
      ).toBe(1_005),
    );
    await post(`/v1/webhooks/${webhook.webhook_id}/test`, {}, 409);
    expect(receiver.received.length).toBeLessThan(1_000);
    await change(webhook, { status: 'active' });
    // Less than a lease, which a claim that is not released waits for.
    const sequences = (): Set<unknown> => new Set(receiver.received.map(({ event }) => event.sequence));
    await eventually(() => expect(sequences().size).toBe(1_005), { timeoutMs: 18_000 });
    expect(receiver.received).toHaveLength(1_005);
  });

  test('that is deleted in the middle is sent nothing more', async () => {
    const receiver = await aReceiver((response) => void setTimeout(() => response.writeHead(200).end(), 30));
    const { webhook, accountId } = await aPrivateWebhook(receiver);
    await tell(1_000, { accountId });
    await eventually(() => expect(receiver.received.length).toBeGreaterThan(20));
    await service.send('delete', `/v1/webhooks/${webhook.webhook_id}`).expect(204);
    const { accountId: other } = await aPrivateWebhook(receiver);
    await tell(1, { accountId: other });
    await eventually(() => expect(receiver.received.at(-1)?.event.account_id).toBe(other));
    expect(receiver.received.length).toBeLessThan(1_000);
  });

  test('signs with both secrets for a day after a rotation', async () => {
    const receiver = await aReceiver();
    const { webhook, accountId } = await aPrivateWebhook(receiver);
    const { secret } = await post(`/v1/webhooks/${webhook.webhook_id}/rotate_secret`, {}, 200);
    await tell(1, { accountId });
    await eventually(() => expect(receiver.received).toHaveLength(1));
    const [got] = receiver.received;
    expect([
      verified(got, secret),
      verifyWebhook(got?.raw ?? '', String(got?.headers['x-service-signature-previous']), webhook.secret),
    ]).toEqual([true, true]);
    expect(() => new StandardWebhook(webhook.secret).verify(got?.raw ?? '', got?.headers as Record<string, string>)).not.toThrow();
    await service.database.query(`UPDATE webhooks SET previous_secret_until = now() - interval '1 second' WHERE id = $1`, [
      webhook.webhook_id,
    ]);
    await tell(1, { accountId });
    await eventually(() => expect(receiver.received).toHaveLength(2));
    expect(receiver.received[1]?.headers).not.toHaveProperty('x-service-signature-previous');
    expect(String(receiver.received[1]?.headers['webhook-signature']).split(' ')).toHaveLength(1);
  });

  test('is tested by an event of its own, whatever it asked for', async () => {
    const [receiver, other] = [await aReceiver(), await aReceiver()];
    const { webhook, accountId } = await aPrivateWebhook(receiver, { events: ['session.opened'] });
    await aPrivateWebhook(other);
    const event = await post(`/v1/webhooks/${webhook.webhook_id}/test`, {}, 202);
    await eventually(() => expect(receiver.received.map((got) => got.event)).toEqual([event]));
    expect(event).toMatchObject({ type: 'webhook.test', account_id: null, sequence: null, data: { webhook_id: webhook.webhook_id } });
    expect(await ended(webhook, 1)).toMatchObject([{ event_id: event.id, event_type: 'webhook.test', status: 'delivered' }]);
    expect((await service.send('get', `/v1/events/${event.id}`).expect(200)).body).toEqual(event);
    expect(other.received).toEqual([]);
    await tell(1, { accountId });
    expect((await service.send('get', `/v1/events?account_id=${accountId}`).expect(200)).body.data).toMatchObject([{ sequence: 1 }]);
  });

  test('gets everything again that was given up since a moment', async () => {
    const receiver = await aReceiver((response) => void response.writeHead(503).end());
    const { webhook, accountId } = await aPrivateWebhook(receiver);
    await tell(3, { accountId });
    await eventually(async () => expect(await deliveriesOf(webhook, '&status=undelivered')).toHaveLength(3));
    const since = receiver.received.at(-1)?.event.created_at;
    await new Promise((resolve) => setTimeout(resolve, 2));
    await tell(2, { accountId });
    await eventually(async () => expect(await deliveriesOf(webhook, '&status=undelivered')).toHaveLength(5));
    receiver.answer = (response) => void response.writeHead(200).end();
    const path = `/v1/webhooks/${webhook.webhook_id}/replay`;
    await post(path, { since: 'yesterday' }, 400);
    expect(await post(path, { since }, 202)).toEqual({ replayed: 2 });
    await eventually(async () => expect(await deliveriesOf(webhook, '&status=delivered')).toHaveLength(2));
    expect(await post(path, {}, 202)).toEqual({ replayed: 3 });
    await eventually(async () => expect(await deliveriesOf(webhook, '&status=delivered')).toHaveLength(5));
    expect((await service.send('post', path).expect(202)).body).toEqual({ replayed: 0 });
  });
});

test('answers that cannot be written down at once are, and nothing is sent twice', async () => {
  const receiver = await aReceiver((response) => void setTimeout(() => response.writeHead(200).end(), 100));
  const { webhook, accountId } = await aPrivateWebhook(receiver);
  await tell(5, { accountId });
  await eventually(() => expect(receiver.received).toHaveLength(5));
  const queue = service.app.get(DeliveryQueue);
  const failing = jest
    .spyOn(queue, 'record')
    .mockRejectedValueOnce(new Error('the database is away'))
    .mockRejectedValueOnce(new Error('still'));
  await ended(webhook, 5);
  failing.mockRestore();
  expect(receiver.received).toHaveLength(5);
});

test('a delivery that is claimed again while its result is being recorded is retried at once, not when the lease ends', async () => {
  const receiver = await aReceiver((response) => void response.writeHead(receiver.received.length > 1 ? 200 : 500).end());
  const { webhook, accountId } = await aPrivateWebhook(receiver);
  const queue = service.app.get(DeliveryQueue);
  const record = queue.record.bind(queue);
  const held = jest.spyOn(queue, 'record').mockImplementationOnce(async (results) => {
    await record(results);
    const isClaimed = (): Promise<Body[]> =>
      service.database.query('SELECT 1 FROM webhook_deliveries WHERE webhook_id = $1 AND lease_until > now()', [webhook.webhook_id]);
    await eventually(async () => expect(await isClaimed()).toHaveLength(1));
  });
  await halt();
  run(1);
  await tell(1, { accountId });
  expect((await ended(webhook, 1))[0]).toMatchObject({ status: 'delivered', attempts: [{ status_code: 500 }, { status_code: 200 }] });
  held.mockRestore();
});

test('a database that dawdles is no failure of the receiver', async () => {
  service.config.WEBHOOK_TIMEOUT_MS = 600;
  const receiver = await aReceiver();
  const { webhook, accountId } = await aPrivateWebhook(receiver);
  const queue = service.app.get(DeliveryQueue);
  const dawdling = jest
    .spyOn(queue, 'active')
    .mockImplementationOnce((ids) => new Promise((resolve) => setTimeout(resolve, 1_000, new Set(ids))));
  await tell(1, { accountId });
  expect((await ended(webhook, 1))[0].attempts).toMatchObject([{ attempt: 1, status_code: 200 }]);
  dawdling.mockRestore();
  service.config.WEBHOOK_TIMEOUT_MS = 15_000;
  expect(receiver.received).toHaveLength(1);
});

test('finding events to fan out costs the same beside many that are done', async () => {
  await halt();
  const accountId = await service.insertAccount();
  await service.database.query(
    `INSERT INTO events (id, operator_id, account_id, sequence, type, data, created_at, fanned_out)
     SELECT 'evt_0' || lpad(number::text, 25, '0'), $1, $2, number, 'transfer.settled', '{}', now(), true FROM generate_series(1, 20000) number`,
    [service.operatorId, accountId],
  );
  await service.database.query('ANALYZE events');
  const [
    {
      'QUERY PLAN': [{ Plan: plan }],
    },
  ] = await service.database.query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${FAN_OUT.replaceAll('$1', 'now()')}`);
  expect(JSON.stringify(plan)).toContain('events_to_fan_out');
  expect(plan['Shared Hit Blocks'] + plan['Shared Read Blocks']).toBeLessThan(100);
  run(1);
});

test('retries come after 30 s, 5 min, 30 min and 2 h, a little later and never earlier, and then no more', async () => {
  service.config.WEBHOOK_RETRY_SECONDS = [30, 300, 1_800, 7_200];
  const receiver = await aReceiver((response) => void response.writeHead(500).end());
  const { webhook, accountId } = await aPrivateWebhook(receiver);
  await tell(1, { accountId });
  for (const [index, seconds] of service.config.WEBHOOK_RETRY_SECONDS.entries()) {
    const [{ next_attempt_at, attempts }] = await eventually(async () => {
      const deliveries = await deliveriesOf(webhook);
      expect(deliveries[0]?.attempts).toHaveLength(index + 1);
      return deliveries;
    });
    const { at, duration_ms } = attempts[index];
    const delay = new Date(next_attempt_at).getTime() - new Date(at).getTime() - duration_ms;
    expect(delay).toBeGreaterThanOrEqual(seconds * 1_000 - 1);
    expect(delay).toBeLessThan(seconds * 1_100 + 100);
    service.clock.advance({ seconds: (new Date(next_attempt_at).getTime() - service.clock.now().getTime()) / 1_000 });
  }
  expect((await ended(webhook, 1))[0]).toMatchObject({
    status: 'undelivered',
    next_attempt_at: null,
    attempts: [1, 2, 3, 4, 5].map((attempt) => ({ attempt })),
  });
});
