import { eventually } from '../support/eventually';
import { checkDelivery } from '../support/contract';
import { receivedEvents, startReceiver, type Receiver } from '../support/receiver';
import { startService, type Service } from '../support/service';
import { anAccount, bodyOf, order, type TestAccount } from '../support/world';
import { api, type Api, type Body } from '../support/api';

jest.setTimeout(120_000);

const SETTINGS = { ALLOW_PRIVATE_URLS: 'true', WEBHOOK_RETRY_SECONDS: '1,1,1,1', WEBHOOK_TIMEOUT_MS: '2000' };

let service: Service;
let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
  service = await startService({ variables: SETTINGS });
});
afterAll(async () => {
  await service.stop();
  receiver.close();
  receiver.received.forEach(checkDelivery);
});

const operator = (): Api => api(service.baseUrl, service.operatorKey);
const aWebhook = async (body: Body, by = operator()): Promise<Body> =>
  bodyOf(await by.post('/v1/webhooks', { url: receiver.url, ...body }), 201);
const account = (more: { usdc?: string; policy?: Body } = {}): Promise<TestAccount> => anAccount({ ...more, by: operator() });
const receivedBy = ({ id }: TestAccount, type?: string): Body[] => receivedEvents(receiver, id, type);

test('a worker that is killed during deliveries loses none, and repeats only those without an answer', async () => {
  const [a, b] = [await account({ usdc: '1000', policy: { max_single_transfer: 1 } }), await account()];
  const answered = new Set<string>();
  // Before the kill only the first 40 get an answer, so that deliveries are always cut off in the middle.
  let left = 40;
  receiver.answer = (response, { event }) => {
    if (left-- > 0) setTimeout(() => response.writeHead(200).end(() => answered.add(event.id)), 150);
  };
  await aWebhook({ account_ids: [a.id] });
  const asking = Array.from({ length: 100 }, () => operator().post('/v1/transfers', order(a, b, '2')));
  const asked = Promise.allSettled(asking);
  await eventually(() => expect(answered.size).toBeGreaterThan(20));
  await service.kill('SIGKILL');
  await asked;
  const [before, seen] = [new Set(answered), receiver.received.length];
  left = Infinity;
  await service.start();
  const events = bodyOf(await operator().get(`/v1/events?account_id=${a.id}&limit=100`), 200).data.map(({ id }: Body) => id);
  await eventually(() => expect(new Set(receivedBy(a).map(({ id }) => id))).toEqual(new Set(events)));
  const repeated = receiver.received.slice(seen).filter(({ event }) => before.has(event.id));
  // Deliveries that were answered in the last moments, and not recorded before the process died.
  expect(repeated.length).toBeLessThanOrEqual(64);
  expect(before.size).toBeLessThan(events.length);
});
