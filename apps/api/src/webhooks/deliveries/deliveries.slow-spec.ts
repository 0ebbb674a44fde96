import { Webhook as StandardWebhook } from 'standardwebhooks';
import type { Body } from '../../../../../test/support/api';
import { eventually } from '../../../../../test/support/eventually';
import type { Received, Receiver } from '../../../../../test/support/receiver';
import { DeliveryStage } from '../../../../../test/support/webhook-deliveries';
import { aTransferData } from '../../events/event.builder';
import { OperatorsService } from '../../keys/operators/operators.service';
import { verifyWebhook } from '../verify-webhook';
import { DeliveryQueue } from './delivery-queue';

let stage: DeliveryStage;
beforeAll(async () => void (stage = await DeliveryStage.start()));
afterEach(() => stage.closeReceivers());
afterAll(() => stage.stop());

function verified(received: Received | undefined, secret: string): boolean {
  if (!received) return false;
  const { raw, headers } = received;
  new StandardWebhook(secret).verify(raw, headers as Record<string, string>);
  return verifyWebhook(raw, String(headers['x-service-signature']), secret);
}

describe('a webhook delivery', () => {
  test('has the event, and signatures that verifyWebhook and the standardwebhooks library accept', async () => {
    const { receiver, webhook, accountId } = await stage.aReceivedWebhook();
    await stage.recordEvents(1, { accountId });
    const [delivery] = await stage.finalDeliveries(webhook, 1);
    const [got] = receiver.received;
    expect(got?.event).toEqual({
      id: delivery.event_id,
      type: 'transfer.settled',
      created_at: expect.stringMatching(/Z$/),
      account_id: accountId,
      sequence: 1,
      data: aTransferData(accountId, 'ünï¢ode "quoted" 0'),
    });
    expect((await stage.service.send('get', `/v1/events/${delivery.event_id}`).expect(200)).body).toEqual(got?.event);
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
    const { receiver, webhook, accountId } = await stage.aReceivedWebhook((response) => void response.writeHead(500).end('no\0 \xff'));
    await stage.recordEvents(1, { accountId });
    const [delivery] = await stage.finalDeliveries(webhook, 1);
    expect(delivery).toMatchObject({ status: 'undelivered', next_attempt_at: null });
    expect(delivery.attempts.map(({ attempt, status_code, error }: Body) => [attempt, status_code, error])).toEqual(
      [1, 2, 3].map((attempt) => [attempt, 500, 'The receiver answered 500']),
    );
    expect(receiver.received.map(({ headers }) => headers['x-service-attempt'])).toEqual(['1', '2', '3']);
    expect(
      new Set(receiver.received.map(({ raw, headers }) => raw + String(headers['webhook-id']) + String(headers['x-service-signature'])))
        .size,
    ).toBe(1);
    expect(await stage.deliveriesOf(webhook, '&status=undelivered')).toHaveLength(1);
    expect(await stage.deliveriesOf(webhook, '&status=delivered')).toEqual([]);

    receiver.answer = (response) => void response.writeHead(204).end();
    const replayed = await stage.post(`/v1/deliveries/${delivery.delivery_id}/replay`, {}, 202);
    expect(replayed).toMatchObject({ delivery_id: delivery.delivery_id, status: 'pending' });
    const again = await eventually(async () => {
      const { body } = await stage.service.send('get', `/v1/deliveries/${delivery.delivery_id}`).expect(200);
      expect(body.status).toBe('delivered');
      return body;
    });
    expect(again.attempts.map(({ attempt }: Body) => attempt)).toEqual([1, 2, 3, 4]);
    expect(receiver.received.at(-1)).toMatchObject({ raw: receiver.received[0]?.raw, headers: { 'x-service-attempt': '4' } });
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => stage.service.send('post', `/v1/deliveries/${delivery.delivery_id}/replay`)),
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
    stage.service.config.WEBHOOK_TIMEOUT_MS = 3_000;
    const { webhook, accountId } = await stage.aReceivedWebhook(answer);
    await stage.recordEvents(1, { accountId });
    const { attempts } = await stage.attempted(webhook);
    expect(attempts[0]).toMatchObject({
      status_code: status,
      error: expect.stringContaining(error),
      response_excerpt: status === null ? null : expect.any(String),
    });
    expect((attempts[0].response_excerpt ?? '').length).toBeLessThanOrEqual(8_192);
    stage.service.config.WEBHOOK_TIMEOUT_MS = 15_000;
  });

  test('succeeds when the body of the response never ends', async () => {
    const { webhook, accountId } = await stage.aReceivedWebhook((response) => {
      response.writeHead(200);
      const flood = (): void =>
        void (response.destroyed || (response.write(Buffer.alloc(4_096, 'x')) ? setImmediate(flood) : response.once('drain', flood)));
      flood();
    });
    await stage.recordEvents(1, { accountId });
    const [delivery] = await stage.finalDeliveries(webhook, 1);
    expect(delivery.attempts).toMatchObject([{ status_code: 200, response_excerpt: 'x'.repeat(8_192) }]);
  });

  test('to a name without address fails with a message that reveals nothing of the network', async () => {
    const { webhook, accountId } = await stage.aPrivateWebhook({ url: 'http://nowhere.invalid/' });
    await stage.recordEvents(1, { accountId });
    const { attempts } = await stage.attempted(webhook);
    expect(attempts[0]).toMatchObject({ status_code: null, error: 'The name has no address' });
  });

  test('cannot be replayed while it is pending, nor by another operator', async () => {
    const { receiver, webhook, accountId } = await stage.aReceivedWebhook(() => undefined);
    await stage.recordEvents(1, { accountId });
    await eventually(() => expect(receiver.received).toHaveLength(1));
    const [delivery] = await stage.deliveriesOf(webhook, '&status=pending');
    const path = `/v1/deliveries/${delivery.delivery_id}/replay`;
    expect(await stage.post(path, {}, 409)).toMatchObject({ error: 'conflict', status: 'pending' });
    await stage.post(path, { force: true }, 400);
    const { key } = (await stage.service.app.get(OperatorsService).create('another')).key;
    await stage.service.send('post', path, key).expect(404);
    await stage.service.send('delete', `/v1/webhooks/${webhook.webhook_id}`).expect(204);
    await stage.post(path, {}, 404);
  });

  test('is signed with both secrets for a day after a rotation', async () => {
    const { receiver, webhook, accountId } = await stage.aReceivedWebhook();
    const { secret } = await stage.post(`/v1/webhooks/${webhook.webhook_id}/rotate_secret`, {}, 200);
    await stage.recordEvents(1, { accountId });
    await eventually(() => expect(receiver.received).toHaveLength(1));
    const [got] = receiver.received;
    expect([
      verified(got, secret),
      verifyWebhook(got?.raw ?? '', String(got?.headers['x-service-signature-previous']), webhook.secret),
    ]).toEqual([true, true]);
    expect(() => new StandardWebhook(webhook.secret).verify(got?.raw ?? '', got?.headers as Record<string, string>)).not.toThrow();
    await stage.service.database.query(`UPDATE webhooks SET previous_secret_until = now() - interval '1 second' WHERE id = $1`, [
      webhook.webhook_id,
    ]);
    await stage.recordEvents(1, { accountId });
    await eventually(() => expect(receiver.received).toHaveLength(2));
    expect(receiver.received[1]?.headers).not.toHaveProperty('x-service-signature-previous');
    expect(String(receiver.received[1]?.headers['webhook-signature']).split(' ')).toHaveLength(1);
  });

  test('that is undelivered is repeated by a replay of its webhook since a moment', async () => {
    const { receiver, webhook, accountId } = await stage.aReceivedWebhook((response) => void response.writeHead(503).end());
    await stage.recordEvents(3, { accountId });
    await eventually(async () => expect(await stage.deliveriesOf(webhook, '&status=undelivered')).toHaveLength(3));
    const since = receiver.received.at(-1)?.event.created_at;
    await new Promise((resolve) => setTimeout(resolve, 2));
    await stage.recordEvents(2, { accountId });
    await eventually(async () => expect(await stage.deliveriesOf(webhook, '&status=undelivered')).toHaveLength(5));
    receiver.answer = (response) => void response.writeHead(200).end();
    const path = `/v1/webhooks/${webhook.webhook_id}/replay`;
    await stage.post(path, { since: 'yesterday' }, 400);
    expect(await stage.post(path, { since }, 202)).toMatchObject({ replayed: 2 });
    await eventually(async () => expect(await stage.deliveriesOf(webhook, '&status=delivered')).toHaveLength(2));
    expect(await stage.post(path, {}, 202)).toMatchObject({ replayed: 3 });
    await eventually(async () => expect(await stage.deliveriesOf(webhook, '&status=delivered')).toHaveLength(5));
    expect((await stage.service.send('post', path).expect(202)).body).toMatchObject({ replayed: 0 });
  });
});

test('a delivery whose result cannot be stored at first is stored later and not sent twice', async () => {
  const { receiver, webhook, accountId } = await stage.aReceivedWebhook(
    (response) => void setTimeout(() => response.writeHead(200).end(), 100),
  );
  await stage.recordEvents(5, { accountId });
  await eventually(() => expect(receiver.received).toHaveLength(5));
  const queue = stage.service.app.get(DeliveryQueue);
  const failing = jest
    .spyOn(queue, 'record')
    .mockRejectedValueOnce(new Error('the database is unavailable'))
    .mockRejectedValueOnce(new Error('still'));
  await stage.finalDeliveries(webhook, 5);
  failing.mockRestore();
  expect(receiver.received).toHaveLength(5);
});

test('a delivery that is claimed again while its result is being recorded is retried at once, not when the lease ends', async () => {
  const { receiver, webhook, accountId } = await stage.aReceivedWebhook(
    (response) => void response.writeHead(receiver.received.length > 1 ? 200 : 500).end(),
  );
  const queue = stage.service.app.get(DeliveryQueue);
  const record = queue.record.bind(queue);
  const held = jest.spyOn(queue, 'record').mockImplementationOnce(async (results) => {
    await record(results);
    const isClaimed = (): Promise<Body[]> =>
      stage.service.database.query('SELECT 1 FROM webhook_deliveries WHERE webhook_id = $1 AND lease_until > now()', [webhook.webhook_id]);
    await eventually(async () => expect(await isClaimed()).toHaveLength(1));
  });
  await stage.halt();
  stage.run(1);
  await stage.recordEvents(1, { accountId });
  expect((await stage.finalDeliveries(webhook, 1))[0]).toMatchObject({
    status: 'delivered',
    attempts: [{ status_code: 500 }, { status_code: 200 }],
  });
  held.mockRestore();
});

test('a slow database does not count as a failure of the receiver', async () => {
  stage.service.config.WEBHOOK_TIMEOUT_MS = 3_000;
  const { receiver, webhook, accountId } = await stage.aReceivedWebhook();
  const queue = stage.service.app.get(DeliveryQueue);
  const slow = jest
    .spyOn(queue, 'active')
    .mockImplementationOnce((ids) => new Promise((resolve) => setTimeout(resolve, 4_000, new Set(ids))));
  await stage.recordEvents(1, { accountId });
  expect((await stage.finalDeliveries(webhook, 1))[0].attempts).toMatchObject([{ attempt: 1, status_code: 200 }]);
  slow.mockRestore();
  stage.service.config.WEBHOOK_TIMEOUT_MS = 15_000;
  expect(receiver.received).toHaveLength(1);
});

test('retries follow after 30 s, 5 min, 30 min and 2 h, at most 10% later, and then the delivery is undelivered', async () => {
  stage.service.config.WEBHOOK_RETRY_SECONDS = [30, 300, 1_800, 7_200];
  const { webhook, accountId } = await stage.aReceivedWebhook((response) => void response.writeHead(500).end());
  await stage.recordEvents(1, { accountId });
  for (const [index, seconds] of stage.service.config.WEBHOOK_RETRY_SECONDS.entries()) {
    const { next_attempt_at, attempts } = await stage.attempted(webhook, index + 1);
    expect(attempts).toHaveLength(index + 1);
    const { at, duration_ms } = attempts[index];
    const delay = new Date(next_attempt_at).getTime() - new Date(at).getTime() - duration_ms;
    expect(delay).toBeGreaterThanOrEqual(seconds * 1_000 - 1);
    // A tenth at random, and the time until the result is stored.
    expect(delay).toBeLessThan(seconds * 1_100 + 5_000);
    stage.service.clock.advance({ seconds: (new Date(next_attempt_at).getTime() - stage.service.clock.now().getTime()) / 1_000 });
  }
  expect((await stage.finalDeliveries(webhook, 1))[0]).toMatchObject({
    status: 'undelivered',
    next_attempt_at: null,
    attempts: [1, 2, 3, 4, 5].map((attempt) => ({ attempt })),
  });
});
