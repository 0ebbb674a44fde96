/** x402 `batch-settlement` in client mode, at a seller from the specification: calls, lost answers, crashes, refusals and the end. */
import { randomUUID } from 'node:crypto';
import type { Failpoint } from '../../apps/api/src/runtime/failpoints';
import type { Api } from '../support/api';
import { startBatchCalls, stopBatchCalls } from '../support/batch-calls';
import { BatchSeller } from '../support/batch-seller';
import { eventually } from '../support/eventually';
import type { Service } from '../support/service';
import { SessionCalls } from '../support/session-calls';
import { bodyOf } from '../support/world';

jest.setTimeout(300_000);

const GRACE = 905;

let service: Service;
let by: Api;
let seller: BatchSeller;
let calls: SessionCalls;
beforeAll(async () => void ({ service, by, seller, calls } = await startBatchCalls()));
afterAll(() => stopBatchCalls({ service, seller }));
afterEach(() => calls.lostNothing());

test('a call out of a purse of its own is paid its price, and the rest comes home', async () => {
  const agent = await calls.account();
  const dry = bodyOf(await by.post('/v1/payments', calls.order(agent), { 'Dry-Run': 'true' }), 200);
  expect(dry).toMatchObject({ allowed: true, quotes: [{ protocol: 'x402', method: 'channel', amount_usdc: '0.001000', chosen: true }] });
  expect(dry.quotes).not.toMatchObject([{ metered: true }]);
  const payment = bodyOf(await calls.pay(calls.order(agent)), 200);
  expect(payment).toMatchObject({
    status: 'paid',
    protocol: 'x402',
    method: 'channel',
    amount_usdc: '0.001000',
    response: { status: 200 },
  });
  await calls.isSettled(agent, payment.purse_id, '0.001000');
});

test('calls out of a named purse share a channel, also at the same time; a channel that is used up is topped up', async () => {
  const agent = await calls.account();
  const before = await calls.balance(seller);
  const purse_id = await calls.purse(agent);
  bodyOf(await calls.pay(calls.order(agent, { purse_id })), 200);
  await Promise.all([2, 3].map(async () => bodyOf(await calls.pay(calls.order(agent)), 200)));
  expect(await calls.channels(purse_id)).toMatchObject([{ deposit_usdc: '0.003000', status: 'open', payee: seller.payee }]);
  expect(bodyOf(await by.post('/v1/payments', calls.order(agent, { purse_id }), { 'Dry-Run': 'true' }), 200)).toMatchObject({
    allowed: true,
  });
  expect(bodyOf(await calls.pay(calls.order(agent)), 200)).toMatchObject({ status: 'paid', purse_id });
  bodyOf(await calls.pay(calls.order(agent)), 200);
  expect(await calls.channels(purse_id)).toMatchObject([{ deposit_usdc: '0.006000', status: 'open' }]);
  await calls.closesWith(agent, purse_id, '0.005000');
  expect((await calls.balance(seller)) - before).toBe(5_000n);
});

test('a call whose answer was lost counts once', async () => {
  const agent = await calls.account();
  const purse_id = await calls.purse(agent);
  for (const _ of [1, 2]) {
    const lost = calls.order(agent, { purse_id }, '/loses');
    bodyOf(await calls.pay(lost), 202);
    await eventually(async () => expect(bodyOf(await calls.pay(lost), 200)).toMatchObject({ status: 'paid' }), { timeoutMs: 60_000 });
  }
  bodyOf(await calls.pay(calls.order(agent, { purse_id })), 200);
  await calls.closesWith(agent, purse_id, '0.003000');
});

test('authorize returns the signed payment, which the seller takes', async () => {
  const agent = await calls.account();
  const purse_id = await calls.purse(agent);
  const payment_required = (await fetch(seller.url)).headers.get('payment-required');
  const body = { account_id: agent.id, idempotency_key: randomUUID(), max_amount: '1', url: seller.url, payment_required, purse_id };
  const { header, authorization } = bodyOf(await by.post('/v1/payments/authorize', body), 200) as { header: string; authorization: string };
  const answer = await fetch(seller.url, { headers: { [header]: authorization } });
  expect([answer.status, await answer.text()]).toEqual([200, 'served']);
  await calls.closesWith(agent, purse_id, '0.001000');
});

test.each([
  [{ receiverAuthorizer: undefined }, /receiverAuthorizer/],
  [{ voucherSigner: 'server', operator: 'CHNLxYvVA28MJP9PrFuDXccuoGXAx7jBacfLEkahyGsX' }, /no operator_key is pinned for its host/],
  [{ withdrawDelay: 86_401 }, /86401 seconds/],
])('an offer with %p is declined as unsupported_method, and nothing is opened', async (extra, sentence) => {
  const odd = await BatchSeller.start(service, 1_000n, { extra });
  const agent = await calls.account();
  const declined = bodyOf(await calls.pay(calls.order(agent, { request: { method: 'GET', url: odd.url } })), 402);
  expect(declined).toMatchObject({ rejection_reason: 'unsupported_method', message: expect.stringMatching(sentence) });
  expect(bodyOf(await by.get(`/v1/purses?account_id=${agent.id}`), 200).data).toEqual([]);
  odd.stop();
});

test.each(['/refuses', '/lands'])('a seller that %s is not paid, and its channel ends by force', async (path) => {
  const agent = await calls.account();
  const purse_id = await calls.purse(agent);
  expect(bodyOf(await calls.pay(calls.order(agent, { purse_id }, path)), 402)).toMatchObject({ rejection_reason: 'provider_refused' });
  await by.post(`/v1/purses/${purse_id}/close`);
  await eventually(
    async () => {
      for (const { status } of await calls.channels(purse_id)) expect(['closing', 'closed']).toContain(status);
    },
    { timeoutMs: 150_000 },
  );
  bodyOf(await by.post('/v1/sandbox/clock', { advance_seconds: GRACE }), 200);
  await calls.isSettled(agent, purse_id, '0.000000');
});

test.each<Failpoint>(['payment.signed', 'payment.authorized', 'payment.answered'])(
  'a process killed at %s leaves a call that is paid once',
  async (point) => {
    const agent = await calls.account();
    const purse_id = await calls.purse(agent);
    const body = calls.order(agent, { purse_id });
    await calls.payAndDie(point, body);
    await calls.payAgain(body);
    await calls.closesWith(agent, purse_id, '0.001000');
  },
);
