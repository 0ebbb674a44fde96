import type { ServerResponse } from 'node:http';
import type { Body } from '../../../../../test/support/api';
import { eventually } from '../../../../../test/support/eventually';
import { DeliveryStage } from '../../../../../test/support/webhook-deliveries';
import { FAN_OUT, FanOut } from './fan-out';

let stage: DeliveryStage;
beforeAll(async () => void (stage = await DeliveryStage.start()));
afterEach(() => stage.closeReceivers());
afterAll(() => stage.stop());

const accept = (response: ServerResponse): void => void response.writeHead(200).end();
const change = (webhook: Body, body: object): Promise<unknown> =>
  stage.service.send('patch', `/v1/webhooks/${webhook.webhook_id}`).send(body).expect(200);
/** A webhook with 200 deliveries, whose receiver answers 20 and holds the others until they are released. */
async function aHeldWebhook() {
  const held: ServerResponse[] = [];
  const made = await stage.aReceivedWebhook((response, _request, count) => (count > 20 ? void held.push(response) : accept(response)));
  const { receiver, accountId } = made;
  await stage.recordEvents(200, { accountId });
  await eventually(() => expect(receiver.received.length).toBeGreaterThan(20));
  const release = (): void => {
    receiver.answer = accept;
    held.forEach(accept);
  };
  return { ...made, release };
}

describe('a webhook with deliveries', () => {
  test('gets each event of its types and accounts once when ten fan-outs run at once', async () => {
    const accountId = await stage.service.insertAccount();
    const everything = await stage.aReceiver();
    const [all, one, typed] = [
      await stage.aWebhook(everything),
      await stage.aWebhook(everything, { account_ids: [accountId] }),
      await stage.aWebhook(everything, { account_ids: [accountId], events: ['transfer.rejected'] }),
    ];
    await stage.halt();
    await stage.recordEvents(20, { accountId });
    await stage.recordEvents(20, { accountId, type: 'transfer.rejected' });
    await stage.recordEvents(20);
    await Promise.all(Array.from({ length: 10 }, () => stage.service.app.get(FanOut).run()));
    const counts = async (): Promise<number[]> =>
      (await Promise.all([all, one, typed].map((webhook) => stage.deliveriesOf(webhook)))).map(({ length }) => length);
    expect(await counts()).toEqual([60, 40, 20]);
    stage.run(2);
    await eventually(() => expect(everything.received).toHaveLength(120));
    expect(new Set(everything.received.map(({ headers }) => headers['x-service-delivery-id'])).size).toBe(120);
    await stage.service.send('delete', `/v1/webhooks/${all.webhook_id}`).expect(204);
  });

  test('gets no event from before its registration', async () => {
    await stage.halt();
    const accountId = await stage.recordEvents(3);
    const receiver = await stage.aReceiver();
    const webhook = await stage.aWebhook(receiver, { account_ids: [accountId] });
    await stage.recordEvents(1, { accountId });
    stage.run(2);
    await eventually(() => expect(receiver.received.map(({ event }) => event.sequence)).toEqual([4]));
    expect(await stage.deliveriesOf(webhook)).toHaveLength(1);
  });

  test('that hangs delays no other webhook', async () => {
    const [hanging, swift] = [await stage.aReceiver(() => undefined), await stage.aReceiver()];
    const accountId = await stage.service.insertAccount();
    const webhook = await stage.aWebhook(hanging, { account_ids: [accountId] });
    await stage.aWebhook(swift, { account_ids: [accountId] });
    await stage.recordEvents(20, { accountId });
    // Less than the 15 seconds for which the other one hangs.
    await eventually(() => expect(swift.received).toHaveLength(20), { timeoutMs: 12_000 });
    await stage.service.send('delete', `/v1/webhooks/${webhook.webhook_id}`).expect(204);
  });

  test('that is paused while deliveries run gets nothing more, and the rest when it is active again', async () => {
    const { receiver, webhook, accountId, release } = await aHeldWebhook();
    await change(webhook, { status: 'paused' });
    release();
    await stage.recordEvents(5, { accountId });
    await eventually(async () =>
      expect(
        Number(
          (await stage.service.database.query(`SELECT count(*) FROM webhook_deliveries WHERE webhook_id = $1`, [webhook.webhook_id]))[0]
            .count,
        ),
      ).toBe(205),
    );
    await stage.post(`/v1/webhooks/${webhook.webhook_id}/test`, {}, 409);
    expect(receiver.received.length).toBeLessThan(200);
    await change(webhook, { status: 'active' });
    // Less than a lease, which a claim that is not released waits for.
    const sequences = (): Set<unknown> => new Set(receiver.received.map(({ event }) => event.sequence));
    await eventually(() => expect(sequences().size).toBe(205), { timeoutMs: 18_000 });
    expect(receiver.received).toHaveLength(205);
  });

  test('that is deleted while deliveries run gets nothing more', async () => {
    const { receiver, webhook, release } = await aHeldWebhook();
    await stage.service.send('delete', `/v1/webhooks/${webhook.webhook_id}`).expect(204);
    release();
    const { accountId: other } = await stage.aPrivateWebhook(receiver);
    await stage.recordEvents(1, { accountId: other });
    await eventually(() => expect(receiver.received.at(-1)?.event.account_id).toBe(other));
    expect(receiver.received.length).toBeLessThan(200);
  });

  test('gets webhook.test whatever its filters are, and no other webhook does', async () => {
    const [receiver, other] = [await stage.aReceiver(), await stage.aReceiver()];
    const { webhook, accountId } = await stage.aPrivateWebhook(receiver, { events: ['session.opened'] });
    await stage.aPrivateWebhook(other);
    const { message, ...event } = await stage.post(`/v1/webhooks/${webhook.webhook_id}/test`, {}, 202);
    expect(message).toContain('/deliveries');
    await eventually(() => expect(receiver.received.map((got) => got.event)).toEqual([event]));
    expect(event).toMatchObject({ type: 'webhook.test', account_id: null, sequence: null, data: { webhook_id: webhook.webhook_id } });
    expect(await stage.finalDeliveries(webhook, 1)).toMatchObject([
      { event_id: event.id, event_type: 'webhook.test', status: 'delivered' },
    ]);
    expect((await stage.service.send('get', `/v1/events/${event.id}`).expect(200)).body).toEqual(event);
    expect(other.received).toEqual([]);
    await stage.recordEvents(1, { accountId });
    expect((await stage.service.send('get', `/v1/events?account_id=${accountId}`).expect(200)).body.data).toMatchObject([{ sequence: 1 }]);
  });
});

test('finding events to fan out reads fewer than 100 blocks beside 20,000 that are fanned out', async () => {
  await stage.halt();
  const accountId = await stage.service.insertAccount();
  await stage.service.database.query(
    `INSERT INTO events (id, operator_id, account_id, sequence, type, data, created_at)
     SELECT 'evt_0' || lpad(number::text, 25, '0'), $1, $2, number, 'transfer.settled', '{}', now() FROM generate_series(1, 20000) number`,
    [stage.service.operatorId, accountId],
  );
  await stage.service.database.query('ANALYZE events');
  const [
    {
      'QUERY PLAN': [{ Plan: plan }],
    },
  ] = await stage.service.database.query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${FAN_OUT.replaceAll('$1', 'now()')}`);
  expect(JSON.stringify(plan)).toContain('events_to_fan_out');
  expect(plan['Shared Hit Blocks'] + plan['Shared Read Blocks']).toBeLessThan(100);
  stage.run(1);
});
