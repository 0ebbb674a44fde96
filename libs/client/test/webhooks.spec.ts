import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { verifyWebhook, WebhookVerificationError } from '../src';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const OTHER = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
const EVENT = {
  id: 'evt_1',
  type: 'webhook.test',
  created_at: '2026-03-01T12:00:00.000Z',
  account_id: null,
  sequence: null,
  data: { webhook_id: 'wh_1' },
};
const BODY = JSON.stringify(EVENT);

const hex = (secret: string, body = BODY): string => createHmac('sha256', secret).update(body).digest('hex');

/** The headers of Standard Webhooks, made by its own library. */
function standard(secret = SECRET, at = new Date()): Record<string, string> {
  const seconds = Math.floor(at.getTime() / 1000);
  return { 'webhook-id': 'evt_1', 'webhook-timestamp': String(seconds), 'webhook-signature': new Webhook(secret).sign('evt_1', at, BODY) };
}

test('verifyWebhook returns the event of a delivery that Standard Webhooks or X-Service-Signature signs', async () => {
  expect(await verifyWebhook(BODY, standard(), SECRET)).toEqual(EVENT);
  expect(await verifyWebhook(Buffer.from(BODY), new Headers(standard()), SECRET)).toEqual(EVENT);
  expect(await verifyWebhook(BODY, { 'X-Service-Signature': hex(SECRET) }, SECRET)).toEqual(EVENT);
});

test('verifyWebhook accepts either secret while both sign', async () => {
  const both = { ...standard(), 'webhook-signature': `${standard(OTHER)['webhook-signature']} ${standard()['webhook-signature']}` };
  expect(await verifyWebhook(BODY, both, SECRET)).toEqual(EVENT);
  expect(await verifyWebhook(BODY, { 'x-service-signature': hex(OTHER), 'x-service-signature-previous': hex(SECRET) }, SECRET)).toEqual(
    EVENT,
  );
});

test.each<[string, string, Record<string, string>]>([
  ['no signature', BODY, {}],
  ['a signature by another secret', BODY, standard(OTHER)],
  ['another body', `${BODY} `, standard()],
  ['another body under X-Service-Signature', `${BODY} `, { 'x-service-signature': hex(SECRET) }],
  ['a signature that is cut short', BODY, { 'x-service-signature': hex(SECRET).slice(0, 62) }],
  ['a timestamp of six minutes ago', BODY, standard(SECRET, new Date(Date.now() - 360_000))],
  ['a timestamp of the future', BODY, standard(SECRET, new Date(Date.now() + 360_000))],
  ['a timestamp that is no number', BODY, { ...standard(), 'webhook-timestamp': 'now' }],
  ['no id', BODY, { ...standard(), 'webhook-id': '' }],
  ['a genuine X-Service-Signature beside a wrong standard one', BODY, { ...standard(OTHER), 'x-service-signature': hex(SECRET) }],
])('verifyWebhook rejects a delivery with %s', async (_what, body, headers) => {
  await expect(verifyWebhook(body, headers, SECRET)).rejects.toThrow(WebhookVerificationError);
});
