import { randomUUID } from 'node:crypto';
import { api, type Body } from '../support/api';
import { eventually } from '../support/eventually';
import { newDatabase, newOperatorKey, startBeside } from '../support/operators';
import { anOutsider } from '../support/outsider';
import { startRogueProvider } from '../support/rogue-provider';
import { sharedService, type Service } from '../support/service';
import { anAccount, bodyOf } from '../support/world';

jest.setTimeout(180_000);

test('a process that dies while it passes an answer on leaves the payment paid, and the repeated request replays it', async () => {
  const payee = await anOutsider();
  const provider = await startRogueProvider(payee.owner);
  const databaseUrl = await newDatabase(sharedService());
  const operatorKey = await newOperatorKey(sharedService(), databaseUrl);
  const start = (variables: Record<string, string> = {}): Promise<Service> =>
    startBeside(sharedService(), {
      operatorKey,
      variables: { DATABASE_URL: databaseUrl, LEASE_MS: '2000', ALLOW_PRIVATE_URLS: 'true', ...variables },
    });
  const dying = await start({ CRASH_AT: 'payment.streamed' });
  const by = api(dying.baseUrl, operatorKey);
  const { id } = await anAccount({ usdc: '1', by });
  const session = { account_id: id, provider: provider.url, payee: payee.owner, cap: '0.1', idempotency_key: randomUUID() };
  const { session_id } = bodyOf(await by.post('/v1/sessions', session), 201);
  provider.behave({
    paid: (response, paid) => void response.writeHead(200, { 'Payment-Receipt': provider.receipt(paid) }).write('the first part'),
  });
  const request = { method: 'GET', url: `${provider.url}/data`, stream: true };
  const given: Body = { account_id: id, session_id, idempotency_key: randomUUID(), max_amount: '0.01', request };
  const headers = { Authorization: `Bearer ${operatorKey}`, 'Content-Type': 'application/json' };
  const live = await fetch(`${dying.baseUrl}/v1/payments`, { method: 'POST', headers, body: JSON.stringify(given) });
  expect(live.headers.get('Payment-Status')).toBe('paid');
  await expect(live.text()).rejects.toThrow();
  await eventually(() => expect(() => process.kill(dying.pid, 0)).toThrow(), { timeoutMs: 10_000 });

  const next = await start();
  const after = api(next.baseUrl, operatorKey);
  const path = `/v1/payments/${live.headers.get('Payment-Id')}`;
  expect(bodyOf(await after.get(path), 200)).toMatchObject({ status: 'paid', amount_usdc: '0.000100' });
  expect(bodyOf(await after.get(`${path}/evidence`), 200).response).toMatchObject({ status: 200, body_sha256: null });
  expect(bodyOf(await after.post('/v1/payments', given), 200)).toMatchObject({
    payment_id: live.headers.get('Payment-Id'),
    status: 'paid',
  });
  expect(provider.payments).toHaveLength(1);
  provider.stop();
  await next.stop();
});
