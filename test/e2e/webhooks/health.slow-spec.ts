import { api, type Api, type Body } from '../../support/api';
import { eventually } from '../../support/eventually';
import { startReceiver, type Receiver } from '../../support/receiver';
import { startService, type Service } from '../../support/service';
import { bodyOf } from '../../support/world';

jest.setTimeout(120_000);

/** A delivery that failed waits for an hour. */
const SETTINGS = { ALLOW_PRIVATE_URLS: 'true', WEBHOOK_RETRY_SECONDS: '3600,3600,3600,3600', WEBHOOK_TIMEOUT_MS: '2000' };

let service: Service;
let receiver: Receiver;
let operator: Api;
beforeAll(async () => {
  receiver = await startReceiver();
  service = await startService({ variables: SETTINGS });
  operator = api(service.baseUrl, service.operatorKey);
});
afterAll(async () => {
  await service.stop();
  receiver.close();
});

const fails = (): void => void (receiver.answer = (response) => void response.writeHead(500).end());
const works = (): void => void (receiver.answer = (response) => void response.writeHead(200).end());
const aWebhook = async (): Promise<string> => bodyOf(await operator.post('/v1/webhooks', { url: receiver.url }), 201).webhook_id;
const shown = async (id: string): Promise<Body> => bodyOf(await operator.get(`/v1/webhooks/${id}`), 200);
const deliveries = async (id: string): Promise<Body[]> => bodyOf(await operator.get(`/v1/webhooks/${id}/deliveries`), 200).data;

/** A webhook with this many deliveries that failed once and wait. */
async function failing(count: number): Promise<{ id: string; waiting: Body[] }> {
  fails();
  const id = await aWebhook();
  for (let sent = 0; sent < count; sent++) bodyOf(await operator.post(`/v1/webhooks/${id}/test`), 202);
  const waiting = await eventually(async () => {
    const all = await deliveries(id);
    expect(all.map(({ attempts }) => attempts.length)).toEqual(Array(count).fill(1));
    return all;
  });
  return { id, waiting };
}

test('a webhook is unused, then failing since its first failure, then healthy', async () => {
  const { id, waiting } = await failing(1);
  const other = await aWebhook();
  expect(await shown(other)).toMatchObject({ health: 'unused', failing_since: null, delivered: 0, failed: 0 });
  const [first] = waiting[0]?.attempts ?? [];
  expect(await shown(id)).toMatchObject({ health: 'failing', failing_since: first.at, delivered: 0, failed: 1 });
  bodyOf(await operator.post(`/v1/deliveries/${waiting[0]?.delivery_id}/send`), 202);
  await eventually(async () => expect(await shown(id)).toMatchObject({ health: 'failing', failing_since: first.at, failed: 2 }));
  const { failing_webhooks } = bodyOf(await operator.get('/dashboard/data/overview'), 200);
  expect(failing_webhooks).toBe(1);
  works();
  bodyOf(await operator.post(`/v1/webhooks/${id}/retry`), 202);
  await eventually(async () => expect(await shown(id)).toMatchObject({ health: 'healthy', failing_since: null, delivered: 1, failed: 2 }));
  const { data } = bodyOf(await operator.get('/v1/webhooks'), 200);
  expect(data.find(({ webhook_id }: Body) => webhook_id === id)).toMatchObject({ health: 'healthy', delivered: 1 });
});

test('send makes the attempt that was due now, and of a delivery that arrived it is 409', async () => {
  const { waiting } = await failing(1);
  works();
  const [{ delivery_id }] = waiting as [Body];
  expect(bodyOf(await operator.post(`/v1/deliveries/${delivery_id}/send`), 202)).toMatchObject({ delivery_id });
  await eventually(async () =>
    expect(bodyOf(await operator.get(`/v1/deliveries/${delivery_id}`), 200)).toMatchObject({
      status: 'delivered',
      attempts: [{ attempt: 1 }, { attempt: 2 }],
    }),
  );
  expect(await operator.post(`/v1/deliveries/${delivery_id}/send`)).toMatchObject({
    status: 409,
    body: { error: 'conflict', status: 'delivered' },
  });
});

test('retry sends all that wait, oldest first, and of a paused webhook it is 409', async () => {
  const { id, waiting } = await failing(3);
  bodyOf(await operator.patch(`/v1/webhooks/${id}`, { status: 'paused' }), 200);
  expect((await operator.post(`/v1/webhooks/${id}/retry`)).body).toMatchObject({ error: 'conflict', status: 'paused' });
  bodyOf(await operator.patch(`/v1/webhooks/${id}`, { status: 'active' }), 200);
  works();
  expect(bodyOf(await operator.post(`/v1/webhooks/${id}/retry`), 202)).toEqual({ webhook_id: id, count: 3 });
  await eventually(async () => expect((await deliveries(id)).map(({ status }) => status)).toEqual(Array(3).fill('delivered')));
  expect(bodyOf(await operator.post(`/v1/webhooks/${id}/retry`), 202)).toEqual({ webhook_id: id, count: 0 });
  const oldestFirst = waiting.map(({ created_at }) => created_at).reverse();
  expect(oldestFirst).toEqual([...oldestFirst].sort());
});
