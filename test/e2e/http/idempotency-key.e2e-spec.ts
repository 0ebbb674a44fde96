import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { sharedService } from '../../support/service';
import { anAccount, bodyOf, invalidFields, operator, order, type TestAccount } from '../../support/world';

let payer: TestAccount;
let payee: TestAccount;
beforeAll(async () => {
  [payer, payee] = [await anAccount({ usdc: '9' }), await anAccount()];
});

const withoutKey = (amount = '0.1') => ({ ...order(payer, payee, amount), idempotency_key: undefined });

test('the header Idempotency-Key stands for the body’s key, in one key space', async () => {
  const key = `schlüssel-${randomUUID()}`;
  const header = { 'Idempotency-Key': Buffer.from(key).toString('latin1') };
  const first = bodyOf(await operator().post('/v1/transfers', withoutKey(), header), 200);
  const again = await operator().post('/v1/transfers', { ...withoutKey(), idempotency_key: key });
  expect([bodyOf(again, 200).transfer_id, again.headers.get('Idempotent-Replayed')]).toEqual([first.transfer_id, 'true']);
  const both = await operator().post('/v1/transfers', { ...withoutKey(), idempotency_key: key }, header);
  expect(bodyOf(both, 200).transfer_id).toBe(first.transfer_id);
  expect((await operator().post('/v1/transfers', withoutKey('0.2'), header)).body.error).toBe('idempotency_conflict');
});

test.each(['/v1/sessions', '/v1/purses', '/v1/payments', '/v1/payments/authorize', '/v1/sessions/sess_1/top_up'])(
  'POST %s takes the header Idempotency-Key in place of the body’s key',
  async (path) => {
    const fields = async (headers: Record<string, string>) => invalidFields(await operator().post(path, { unknown: true }, headers));
    expect(await fields({})).toContain('idempotency_key');
    expect(await fields({ 'Idempotency-Key': 'k' })).not.toContain('idempotency_key');
  },
);

test('an Idempotency-Key header that is empty or unequal to the body’s key is 400 and names idempotency_key', async () => {
  for (const [body, key] of [
    [withoutKey(), ''],
    [order(payer, payee, '0.1'), 'another'],
  ] as const)
    expect(invalidFields(await operator().post('/v1/transfers', body, { 'Idempotency-Key': key }))).toEqual(['idempotency_key']);
});

test('two Idempotency-Key headers are 400 and name idempotency_key', async () => {
  const { baseUrl, operatorKey } = sharedService();
  const { hostname, port } = new URL(baseUrl);
  const headers = { Authorization: `Bearer ${operatorKey}`, 'Content-Type': 'application/json', 'Idempotency-Key': ['a', 'a'] };
  const answer = await new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
    const sent = request({ hostname, port, method: 'POST', path: '/v1/transfers', headers }, async (response) => {
      let text = '';
      for await (const chunk of response) text += String(chunk);
      resolve({ status: response.statusCode, text });
    });
    sent.on('error', reject).end(JSON.stringify(withoutKey()));
  });
  expect([answer.status, JSON.parse(answer.text)]).toMatchObject([400, { details: [{ field: 'idempotency_key' }] }]);
});

test('a POST without a key ignores the header Idempotency-Key', async () => {
  const { baseUrl, operatorKey } = sharedService();
  const answer = await fetch(new URL('/v1/webhooks', baseUrl), {
    method: 'POST',
    headers: { Authorization: `Bearer ${operatorKey}`, 'Content-Type': 'application/json', 'Idempotency-Key': '' },
    body: JSON.stringify({ url: 'https://example.com/hook' }),
  });
  expect(answer.status).toBe(201);
  const { webhook_id } = (await answer.json()) as { webhook_id: string };
  expect((await operator().delete(`/v1/webhooks/${webhook_id}`)).status).toBe(204);
});
