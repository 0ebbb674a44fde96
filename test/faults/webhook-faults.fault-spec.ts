import type { Body } from '../support/api';
import { eventually } from '../support/eventually';
import { WebhookStage } from '../support/webhook-stage';
import { bodyOf, order } from '../support/world';

jest.setTimeout(120_000);

let stage: WebhookStage;
beforeAll(async () => void (stage = await WebhookStage.start()));
afterAll(() => stage.stop());

test('a worker that is killed during deliveries loses none, and repeats only those without an answer', async () => {
  const [a, b] = [await stage.account({ usdc: '1000', policy: { max_single_transfer: 1 } }), await stage.account()];
  const answered = new Set<string>();
  // Before the kill only the first 40 get an answer, so that deliveries are always cut off in the middle.
  let left = 40;
  stage.receiver.answer = (response, { event }) => {
    if (left-- > 0) setTimeout(() => response.writeHead(200).end(() => answered.add(event.id)), 150);
  };
  await stage.webhook({ account_ids: [a.id] });
  const asking = Array.from({ length: 100 }, () => stage.by.post('/v1/transfers', order(a, b, '2')));
  const asked = Promise.allSettled(asking);
  await eventually(() => expect(answered.size).toBeGreaterThan(20));
  await stage.service.kill('SIGKILL');
  await asked;
  const [before, seen] = [new Set(answered), stage.receiver.received.length];
  left = Infinity;
  await stage.service.start();
  const events = bodyOf(await stage.by.get(`/v1/events?account_id=${a.id}&limit=100`), 200).data.map(({ id }: Body) => id);
  await eventually(() => expect(new Set(stage.receivedBy(a).map(({ id }) => id))).toEqual(new Set(events)));
  const repeated = stage.receiver.received.slice(seen).filter(({ event }) => before.has(event.id));
  // Deliveries that were answered in the last moments, and not recorded before the process died.
  expect(repeated.length).toBeLessThanOrEqual(64);
  expect(before.size).toBeLessThan(events.length);
});
