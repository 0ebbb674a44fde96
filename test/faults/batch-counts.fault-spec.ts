/** Top-ups of x402 `batch-settlement`, and sellers that count otherwise: what they prove is believed, and no more is ever signed than that and a price. */
import { randomUUID } from 'node:crypto';
import type { Failpoint } from '../../apps/api/src/runtime/failpoints';
import type { Api } from '../support/api';
import { startBatchCalls, stopBatchCalls } from '../support/batch-calls';
import { BatchSeller } from '../support/batch-seller';
import { eventually } from '../support/eventually';
import type { Service } from '../support/service';
import { SessionCalls } from '../support/session-calls';
import { bodyOf, query, type TestAccount } from '../support/world';

jest.setTimeout(300_000);

let service: Service;
let by: Api;
let seller: BatchSeller;
let calls: SessionCalls;
beforeAll(async () => void ({ service, by, seller, calls } = await startBatchCalls({ extra: { minDeposit: '2000' } })));
afterAll(() => stopBatchCalls({ service, seller }));
afterEach(() => calls.lostNothing());

/** A purse with so many paid calls. */
async function paidCalls(agent: TestAccount, count: number, amount = '0.01'): Promise<{ purse_id: unknown; address: string }> {
  const body = { kind: 'channel', account_id: agent.id, amount, idempotency_key: randomUUID() };
  const { purse_id } = bodyOf(await by.post('/v1/purses', body), 201);
  for (let call = 0; call < count; call++) bodyOf(await calls.pay(calls.order(agent, { purse_id })), 200);
  const [channel] = await calls.channels(purse_id);
  return { purse_id, address: String(channel?.channel_address) };
}

/** Sets a channel back to an accepted sum, as a restored database would have it, at a seller that takes no voucher twice. */
async function setBack(address: string, micro: number): Promise<void> {
  seller.forgetAnswers();
  const statement = 'UPDATE channels SET accepted_micro_usdc = $2, signed_micro_usdc = $2 WHERE address = $1';
  await query(statement, [address, micro], String(service.sandbox.database_url));
}

test('a top-up whose answer was lost is sent again with its voucher, and counts once', async () => {
  const agent = await calls.account();
  const { purse_id } = await paidCalls(agent, 2);
  const lost = calls.order(agent, { purse_id }, '/loses');
  bodyOf(await calls.pay(lost), 202);
  await eventually(async () => expect(bodyOf(await calls.pay(lost), 200)).toMatchObject({ status: 'paid' }), { timeoutMs: 60_000 });
  bodyOf(await calls.pay(calls.order(agent, { purse_id })), 200);
  expect(await calls.channels(purse_id)).toMatchObject([{ deposit_usdc: '0.004000', status: 'open' }]);
  await calls.closesWith(agent, purse_id, '0.004000');
});

test('a channel whose top-up its seller kept is ended, and another one follows', async () => {
  const agent = await calls.account();
  const { purse_id } = await paidCalls(agent, 2);
  bodyOf(await calls.pay(calls.order(agent, { purse_id }, '/keeps')), 200);
  expect(bodyOf(await calls.pay(calls.order(agent, { purse_id })), 200)).toMatchObject({ status: 'paid' });
  expect(await calls.channels(purse_id)).toHaveLength(2);
});

test('a purse whose rest covers no top-up declines by purse_amount', async () => {
  const agent = await calls.account();
  const { purse_id } = await paidCalls(agent, 2, '0.0025');
  expect(bodyOf(await calls.pay(calls.order(agent, { purse_id })), 402)).toMatchObject({ rejection_reason: 'purse_amount' });
  await calls.closesWith(agent, purse_id, '0.002000');
});

test.each<Failpoint>(['payment.signed', 'payment.authorized', 'payment.answered'])(
  'a process killed at %s leaves a top-up that is paid once',
  async (point) => {
    const agent = await calls.account();
    const { purse_id } = await paidCalls(agent, 2);
    const body = calls.order(agent, { purse_id });
    await calls.payAndDie(point, body);
    await calls.payAgain(body);
    await calls.closesWith(agent, purse_id, '0.003000');
  },
);

test('a seller that proves by our own voucher that it accepted more is paid its price above that', async () => {
  const agent = await calls.account();
  const { purse_id, address } = await paidCalls(agent, 3);
  await setBack(address, 1_000);
  expect(bodyOf(await calls.pay(calls.order(agent, { purse_id })), 200)).toMatchObject({ status: 'paid', amount_usdc: '0.001000' });
  expect(seller.highest(address)).toBe(4_000n);
  expect(await calls.channels(purse_id)).toHaveLength(1);
  await calls.closesWith(agent, purse_id, '0.004000');
});

test('a seller that has no voucher any more is paid its price above what the chain has settled', async () => {
  const agent = await calls.account();
  const { purse_id, address } = await paidCalls(agent, 3);
  await seller.claim(address);
  await setBack(address, 1_000);
  expect(bodyOf(await calls.pay(calls.order(agent, { purse_id })), 200)).toMatchObject({ status: 'paid', amount_usdc: '0.001000' });
  await calls.closesWith(agent, purse_id, '0.004000');
});

test.each([
  ['/forges', 'a voucher that another key signed'],
  ['/exceeds', 'a voucher of less than it claims'],
])('a seller that %s: shows %s, and is refused without another signature', async (path) => {
  // The deposit has room for what it claims.
  const roomy = await BatchSeller.start(service, 1_000n, { extra: { minDeposit: '8000' } });
  const own = new SessionCalls(service, by, roomy);
  const agent = await own.account();
  const paid = bodyOf(await own.pay(own.order(agent, { purse_id: (await paidCalls(agent, 0)).purse_id })), 200);
  const [channel] = await own.channels(paid.purse_id);
  const address = String(channel?.channel_address);
  expect(bodyOf(await own.pay(own.order(agent, { purse_id: paid.purse_id }, path)), 402)).toMatchObject({
    rejection_reason: 'provider_refused',
  });
  expect(roomy.highest(address)).toBe(2_000n);
  await eventually(async () => expect((await own.channels(paid.purse_id))[0]).toMatchObject({ status: 'closed' }), { timeoutMs: 60_000 });
  await by.post(`/v1/purses/${paid.purse_id}/close`);
  await own.isSettled(agent, paid.purse_id, '0.001000');
  roomy.stop();
});

test('a seller whose proof is the voucher that it refuses is not paid twice for a call', async () => {
  const agent = await calls.account();
  const { purse_id, address } = await paidCalls(agent, 3);
  await setBack(address, 2_000);
  expect(bodyOf(await calls.pay(calls.order(agent, { purse_id })), 402)).toMatchObject({ rejection_reason: 'provider_refused' });
  expect(seller.highest(address)).toBe(3_000n);
});
