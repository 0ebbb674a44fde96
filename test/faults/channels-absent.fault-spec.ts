/** A chain without payment-channels: channel purses answer 409, and sellers of channels are declined before anything is funded. */
import { randomUUID } from 'node:crypto';
import { PAYMENT_CHANNELS_ADDRESS } from '#chain';
import { api, type Api } from '../support/api';
import { BatchSeller } from '../support/batch-seller';
import { ChainProxy } from '../support/chain-proxy';
import { startApart } from '../support/operators';
import { sharedService, type Service } from '../support/service';
import { SessionCalls } from '../support/session-calls';
import { bodyOf } from '../support/world';

jest.setTimeout(180_000);

let proxy: ChainProxy;
let service: Service;
let by: Api;
let seller: BatchSeller;
let calls: SessionCalls;
beforeAll(async () => {
  const shared = sharedService();
  proxy = await ChainProxy.start(shared.sandbox);
  proxy.fate = ({ method, params }) => {
    const asked = method === 'getMultipleAccounts' ? (params[0] as string[]) : [];
    if (!asked.includes(PAYMENT_CHANNELS_ADDRESS)) return 'pass';
    return { result: { context: { slot: Number.MAX_SAFE_INTEGER }, value: asked.map(() => null) } };
  };
  service = await startApart(shared, { SOLANA_RPC_URL: proxy.url, SOLANA_WS_URL: proxy.webSocketUrl, ALLOW_PRIVATE_URLS: 'true' });
  by = api(service.baseUrl, service.operatorKey);
  seller = await BatchSeller.start(shared, 1_000n);
  calls = new SessionCalls(service, by, seller);
});
afterAll(async () => {
  seller.stop();
  await service.stop();
  await proxy.down();
});

test('a channel purse on a chain without payment-channels is a conflict that says so', async () => {
  const agent = await calls.account();
  const body = { kind: 'channel', account_id: agent.id, amount: '0.01', idempotency_key: randomUUID() };
  const answer = await by.post('/v1/purses', body);
  expect(answer).toMatchObject({ status: 409, body: { error: 'conflict' } });
  expect(answer.body.message).toContain('carries no payment-channels program');
});

test('a seller of channels on a chain without payment-channels is declined as unsupported_method, and no purse is funded', async () => {
  const agent = await calls.account();
  const declined = bodyOf(await calls.pay(calls.order(agent)), 402);
  expect(declined).toMatchObject({ rejection_reason: 'unsupported_method' });
  expect(declined.message).toContain('carries no payment-channels program');
  expect(bodyOf(await by.get(`/v1/purses?account_id=${agent.id}`), 200).data).toEqual([]);
});
