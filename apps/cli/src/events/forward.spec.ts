import { Webhook } from 'standardwebhooks';
import { verifyWebhook } from '#client';
import { headersOf } from './forward';

const SECRET = `whsec_${Buffer.from('thirty-two bytes of a test secret').toString('base64')}`;
const BODY = '{"id":"evt_1","type":"transfer.settled"}';

test('a forwarded event has both signatures of a delivery', async () => {
  const headers = headersOf('evt_1', BODY, SECRET);
  expect(new Webhook(SECRET).verify(BODY, headers)).toMatchObject({ id: 'evt_1' });
  const { 'X-Service-Signature': signature } = headers;
  expect(await verifyWebhook(BODY, { 'x-service-signature': signature }, SECRET)).toMatchObject({ id: 'evt_1' });
});
