import type { ServerResponse } from 'node:http';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { startApp, type TestApp } from '../../../../../test/support/app';
import type { Body } from '../../../../../test/support/api';
import { eventually } from '../../../../../test/support/eventually';
import { startReceiver, type Received, type Receiver } from '../../../../../test/support/receiver';
import { OperatorsService } from '../../keys/operators/operators.service';
import { ContinuousJobsService } from '../../jobs/continuous/continuous-jobs.service';
import { DeliveryDispatcher } from './delivery-dispatcher';
import { DeliveryQueue } from './delivery-queue';
import { DeliverySender } from './delivery-sender';
import { FAN_OUT, FanOut } from './fan-out';
import { aTransferData } from '../../events/event.builder';
import { OutboxService } from '../../events/outbox.service';
import { verifyWebhook } from '../verify-webhook';

let service: TestApp;
let stop: AbortController;
let running: Promise<unknown>;
const receivers: Receiver[] = [];

beforeAll(async () => {
  service = await startApp({ variables: { ALLOW_PRIVATE_URLS: 'true', WEBHOOK_RETRY_SECONDS: '0,0' } });
  run(2);
});
/** Closes receivers that hang, so that their 15 seconds are not waited for. */
afterEach(() => receivers.splice(0).forEach((receiver) => receiver.close()));
afterAll(async () => {
  await halt();
  await service.close();
});

/** Starts the dispatchers of this many workers on one database. */
function run(workers: number): void {
  stop = new AbortController();
  const dispatchers = Array.from({ length: workers }, () => {
    const jobs = new ContinuousJobsService();
    new DeliveryDispatcher(jobs, service.app.get(FanOut), service.app.get(DeliveryQueue), service.app.get(DeliverySender)).onModuleInit();
    return jobs.all()[0]?.run(stop.signal);
  });
  running = Promise.all(dispatchers);
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

const accept = (response: ServerResponse): void => void response.writeHead(200).end();
const post = async (path: string, body: object, status: number): Promise<Body> =>
  (await service.send('post', path).send(body).expect(status)).body;
const aWebhook = (receiver: Receiver, more: object = {}): Promise<Body> => post('/v1/webhooks', { url: receiver.url, ...more }, 201);
const deliveriesOf = async ({ webhook_id }: Body, query = ''): Promise<Body[]> =>
  (await service.send('get', `/v1/webhooks/${webhook_id}/deliveries?limit=100${query}`).expect(200)).body.data;
const change = (webhook: Body, body: object): Promise<unknown> =>
  service.send('patch', `/v1/webhooks/${webhook.webhook_id}`).send(body).expect(200);

/** Records events of one account, by default a new one. Returns its id. */
async function recordEvents(
  count = 1,
  { accountId, type = 'transfer.settled' }: { accountId?: string; type?: 'transfer.settled' | 'transfer.rejected' } = {},
): Promise<string> {
  const of = accountId ?? (await service.insertAccount());
  const outbox = service.app.get(OutboxService);
  const rows = Array.from({ length: count }, (_, index) =>
    outbox.row({ operatorId: service.operatorId, accountId: of, type, data: aTransferData(of, `ünï¢ode "quoted" ${index}`) }),
  );
  await service.database.query('SELECT record_event(row) FROM jsonb_array_elements($1) row', [JSON.stringify(rows)]);
  return of;
}

/** A webhook of one new account, so that tests do not affect each other. */
async function aPrivateWebhook(receiver: Receiver, more: object = {}): Promise<{ webhook: Body; accountId: string }> {
  const accountId = await service.insertAccount();
  return { webhook: await aWebhook(receiver, { account_ids: [accountId], ...more }), accountId };
}

const finalDeliveries = (webhook: Body, count: number): Promise<Body[]> =>
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

describe('a webhook delivery', () => {
  test('has the event, and signatures that verifyWebhook and the standardwebhooks library accept', async () => {
    const receiver = await aReceiver();
    const { webhook, accountId } = await aPrivateWebhook(receiver);
    await recordEvents(1, { accountId });
    const [delivery] = await finalDeliveries(webhook, 1);
    const [got] = receiver.received;
    expect(got?.event).toEqual({
      id: delivery.event_id,
      type: 'transfer.settled',
      created_at: expect.stringMatching(/Z$/),
      account_id: accountId,
      sequence: 1,
      data: aTransferData(accountId, 'ünï¢ode "quoted" 0'),
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

  test('that fails is retried by the schedule with the same bytes, then undelivered, and can be replayed', async () => {
    const receiver = await aReceiver((response) => void response.writeHead(500).end('no\0 \xff'));
    const { webhook, accountId } = await aPrivateWebhook(receiver);
    await recordEvents(1, { accountId });
    const [delivery] = await finalDeliveries(webhook, 1);
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
    ['sends nothing', () => undefined, null, 'No answer within 3 s'],
    ['closes the connection', (response) => void response.destroy(), null, 'cut before an answer'],
    ['answers 404 with 20 KB', (response) => void response.writeHead(404).end('x'.repeat(20_000)), 404, '404'],
  ] as [string, Receiver['answer'], number | null, string][])('fails when the receiver %s', async (_what, answer, status, error) => {
    service.config.WEBHOOK_TIMEOUT_MS = 3_000;
    const receiver = await aReceiver(answer);
    const { webhook, accountId } = await aPrivateWebhook(receiver);
    await recordEvents(1, { accountId });
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

  test('succeeds when the body of the response never ends', async () => {
    const receiver = await aReceiver((response) => {
      response.writeHead(200);
      const flood = (): void =>
        void (response.destroyed || (response.write(Buffer.alloc(4_096, 'x')) ? setImmediate(flood) : response.once('drain', flood)));
      flood();
    });
    const { webhook, accountId } = await aPrivateWebhook(receiver);
    await recordEvents(1, { accountId });
    const [delivery] = await finalDeliveries(webhook, 1);
    expect(delivery.attempts).toMatchObject([{ status_code: 200, response_excerpt: 'x'.repeat(8_192) }]);
  });

  test('to a name without address fails with a message that reveals nothing of the network', async () => {
    const { webhook, accountId } = await aPrivateWebhook({ url: 'http://nowhere.invalid/' } as Receiver);
    await recordEvents(1, { accountId });
    const [delivery] = await eventually(async () => {
      const deliveries = await deliveriesOf(webhook);
      expect(deliveries[0]?.attempts.length).toBeGreaterThan(0);
      return deliveries;
    });
    expect(delivery.attempts[0]).toMatchObject({ status_code: null, error: 'The name has no address' });
  });

  test('cannot be replayed while it is pending, nor by another operator', async () => {
    const receiver = await aReceiver(() => undefined);
    const { webhook, accountId } = await aPrivateWebhook(receiver);
    await recordEvents(1, { accountId });
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

describe('a webhook with deliveries', () => {
  test('gets each event of its types and accounts once when ten fan-outs run at once', async () => {
    const accountId = await service.insertAccount();
    const everything = await aReceiver();
    const [all, one, typed] = [
      await aWebhook(everything),
      await aWebhook(everything, { account_ids: [accountId] }),
      await aWebhook(everything, { account_ids: [accountId], events: ['transfer.rejected'] }),
    ];
    await halt();
    await recordEvents(20, { accountId });
    await recordEvents(20, { accountId, type: 'transfer.rejected' });
    await recordEvents(20);
    await Promise.all(Array.from({ length: 10 }, () => service.app.get(FanOut).run()));
    const counts = async (): Promise<number[]> =>
      (await Promise.all([all, one, typed].map((webhook) => deliveriesOf(webhook)))).map(({ length }) => length);
    expect(await counts()).toEqual([60, 40, 20]);
    run(2);
    await eventually(() => expect(everything.received).toHaveLength(120));
    expect(new Set(everything.received.map(({ headers }) => headers['x-service-delivery-id'])).size).toBe(120);
    await service.send('delete', `/v1/webhooks/${all.webhook_id}`).expect(204);
  });

  test('gets no event from before its registration', async () => {
    await halt();
    const accountId = await recordEvents(3);
    const receiver = await aReceiver();
    const webhook = await aWebhook(receiver, { account_ids: [accountId] });
    await recordEvents(1, { accountId });
    run(2);
    await eventually(() => expect(receiver.received.map(({ event }) => event.sequence)).toEqual([4]));
    expect(await deliveriesOf(webhook)).toHaveLength(1);
  });

  test('that hangs delays no other webhook', async () => {
    const [hanging, swift] = [await aReceiver(() => undefined), await aReceiver()];
    const accountId = await service.insertAccount();
    const webhook = await aWebhook(hanging, { account_ids: [accountId] });
    await aWebhook(swift, { account_ids: [accountId] });
    await recordEvents(20, { accountId });
    // Less than the 15 seconds for which the other one hangs.
    await eventually(() => expect(swift.received).toHaveLength(20), { timeoutMs: 12_000 });
    await service.send('delete', `/v1/webhooks/${webhook.webhook_id}`).expect(204);
  });

  test('that is paused while deliveries run gets nothing more, and the rest when it is active again', async () => {
    const held: ServerResponse[] = [];
    const receiver = await aReceiver((response, _request, count) => (count > 20 ? void held.push(response) : accept(response)));
    const { webhook, accountId } = await aPrivateWebhook(receiver);
    await recordEvents(200, { accountId });
    await eventually(() => expect(receiver.received.length).toBeGreaterThan(20));
    await change(webhook, { status: 'paused' });
    receiver.answer = accept;
    held.forEach(accept);
    await recordEvents(5, { accountId });
    await eventually(async () =>
      expect(
        Number(
          (await service.database.query(`SELECT count(*) FROM webhook_deliveries WHERE webhook_id = $1`, [webhook.webhook_id]))[0].count,
        ),
      ).toBe(205),
    );
    await post(`/v1/webhooks/${webhook.webhook_id}/test`, {}, 409);
    expect(receiver.received.length).toBeLessThan(200);
    await change(webhook, { status: 'active' });
    // Less than a lease, which a claim that is not released waits for.
    const sequences = (): Set<unknown> => new Set(receiver.received.map(({ event }) => event.sequence));
    await eventually(() => expect(sequences().size).toBe(205), { timeoutMs: 18_000 });
    expect(receiver.received).toHaveLength(205);
  });

  test('that is deleted while deliveries run gets nothing more', async () => {
    const held: ServerResponse[] = [];
    const receiver = await aReceiver((response, _request, count) => (count > 20 ? void held.push(response) : accept(response)));
    const { webhook, accountId } = await aPrivateWebhook(receiver);
    await recordEvents(200, { accountId });
    await eventually(() => expect(receiver.received.length).toBeGreaterThan(20));
    await service.send('delete', `/v1/webhooks/${webhook.webhook_id}`).expect(204);
    receiver.answer = accept;
    held.forEach(accept);
    const { accountId: other } = await aPrivateWebhook(receiver);
    await recordEvents(1, { accountId: other });
    await eventually(() => expect(receiver.received.at(-1)?.event.account_id).toBe(other));
    expect(receiver.received.length).toBeLessThan(200);
  });

  test('signs with both secrets for a day after a rotation', async () => {
    const receiver = await aReceiver();
    const { webhook, accountId } = await aPrivateWebhook(receiver);
    const { secret } = await post(`/v1/webhooks/${webhook.webhook_id}/rotate_secret`, {}, 200);
    await recordEvents(1, { accountId });
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
    await recordEvents(1, { accountId });
    await eventually(() => expect(receiver.received).toHaveLength(2));
    expect(receiver.received[1]?.headers).not.toHaveProperty('x-service-signature-previous');
    expect(String(receiver.received[1]?.headers['webhook-signature']).split(' ')).toHaveLength(1);
  });

  test('gets webhook.test whatever its filters are, and no other webhook does', async () => {
    const [receiver, other] = [await aReceiver(), await aReceiver()];
    const { webhook, accountId } = await aPrivateWebhook(receiver, { events: ['session.opened'] });
    await aPrivateWebhook(other);
    const { message, ...event } = await post(`/v1/webhooks/${webhook.webhook_id}/test`, {}, 202);
    expect(message).toContain('/deliveries');
    await eventually(() => expect(receiver.received.map((got) => got.event)).toEqual([event]));
    expect(event).toMatchObject({ type: 'webhook.test', account_id: null, sequence: null, data: { webhook_id: webhook.webhook_id } });
    expect(await finalDeliveries(webhook, 1)).toMatchObject([{ event_id: event.id, event_type: 'webhook.test', status: 'delivered' }]);
    expect((await service.send('get', `/v1/events/${event.id}`).expect(200)).body).toEqual(event);
    expect(other.received).toEqual([]);
    await recordEvents(1, { accountId });
    expect((await service.send('get', `/v1/events?account_id=${accountId}`).expect(200)).body.data).toMatchObject([{ sequence: 1 }]);
  });

  test('gets all undelivered events since a moment by a replay', async () => {
    const receiver = await aReceiver((response) => void response.writeHead(503).end());
    const { webhook, accountId } = await aPrivateWebhook(receiver);
    await recordEvents(3, { accountId });
    await eventually(async () => expect(await deliveriesOf(webhook, '&status=undelivered')).toHaveLength(3));
    const since = receiver.received.at(-1)?.event.created_at;
    await new Promise((resolve) => setTimeout(resolve, 2));
    await recordEvents(2, { accountId });
    await eventually(async () => expect(await deliveriesOf(webhook, '&status=undelivered')).toHaveLength(5));
    receiver.answer = (response) => void response.writeHead(200).end();
    const path = `/v1/webhooks/${webhook.webhook_id}/replay`;
    await post(path, { since: 'yesterday' }, 400);
    expect(await post(path, { since }, 202)).toMatchObject({ replayed: 2 });
    await eventually(async () => expect(await deliveriesOf(webhook, '&status=delivered')).toHaveLength(2));
    expect(await post(path, {}, 202)).toMatchObject({ replayed: 3 });
    await eventually(async () => expect(await deliveriesOf(webhook, '&status=delivered')).toHaveLength(5));
    expect((await service.send('post', path).expect(202)).body).toMatchObject({ replayed: 0 });
  });
});

test('a delivery whose result cannot be stored at first is stored later and not sent twice', async () => {
  const receiver = await aReceiver((response) => void setTimeout(() => response.writeHead(200).end(), 100));
  const { webhook, accountId } = await aPrivateWebhook(receiver);
  await recordEvents(5, { accountId });
  await eventually(() => expect(receiver.received).toHaveLength(5));
  const queue = service.app.get(DeliveryQueue);
  const failing = jest
    .spyOn(queue, 'record')
    .mockRejectedValueOnce(new Error('the database is unavailable'))
    .mockRejectedValueOnce(new Error('still'));
  await finalDeliveries(webhook, 5);
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
  await recordEvents(1, { accountId });
  expect((await finalDeliveries(webhook, 1))[0]).toMatchObject({
    status: 'delivered',
    attempts: [{ status_code: 500 }, { status_code: 200 }],
  });
  held.mockRestore();
});

test('a slow database does not count as a failure of the receiver', async () => {
  service.config.WEBHOOK_TIMEOUT_MS = 3_000;
  const receiver = await aReceiver();
  const { webhook, accountId } = await aPrivateWebhook(receiver);
  const queue = service.app.get(DeliveryQueue);
  const slow = jest
    .spyOn(queue, 'active')
    .mockImplementationOnce((ids) => new Promise((resolve) => setTimeout(resolve, 4_000, new Set(ids))));
  await recordEvents(1, { accountId });
  expect((await finalDeliveries(webhook, 1))[0].attempts).toMatchObject([{ attempt: 1, status_code: 200 }]);
  slow.mockRestore();
  service.config.WEBHOOK_TIMEOUT_MS = 15_000;
  expect(receiver.received).toHaveLength(1);
});

test('finding events to fan out reads fewer than 100 blocks beside 20,000 that are fanned out', async () => {
  await halt();
  const accountId = await service.insertAccount();
  await service.database.query(
    `INSERT INTO events (id, operator_id, account_id, sequence, type, data, created_at)
     SELECT 'evt_0' || lpad(number::text, 25, '0'), $1, $2, number, 'transfer.settled', '{}', now() FROM generate_series(1, 20000) number`,
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

test('retries follow after 30 s, 5 min, 30 min and 2 h, at most 10% later, and then the delivery is undelivered', async () => {
  service.config.WEBHOOK_RETRY_SECONDS = [30, 300, 1_800, 7_200];
  const receiver = await aReceiver((response) => void response.writeHead(500).end());
  const { webhook, accountId } = await aPrivateWebhook(receiver);
  await recordEvents(1, { accountId });
  for (const [index, seconds] of service.config.WEBHOOK_RETRY_SECONDS.entries()) {
    const [{ next_attempt_at, attempts }] = await eventually(async () => {
      const deliveries = await deliveriesOf(webhook);
      expect(deliveries[0]?.attempts).toHaveLength(index + 1);
      return deliveries;
    });
    const { at, duration_ms } = attempts[index];
    const delay = new Date(next_attempt_at).getTime() - new Date(at).getTime() - duration_ms;
    expect(delay).toBeGreaterThanOrEqual(seconds * 1_000 - 1);
    // A tenth at random, and the time until the result is stored.
    expect(delay).toBeLessThan(seconds * 1_100 + 5_000);
    service.clock.advance({ seconds: (new Date(next_attempt_at).getTime() - service.clock.now().getTime()) / 1_000 });
  }
  expect((await finalDeliveries(webhook, 1))[0]).toMatchObject({
    status: 'undelivered',
    next_attempt_at: null,
    attempts: [1, 2, 3, 4, 5].map((attempt) => ({ attempt })),
  });
});
