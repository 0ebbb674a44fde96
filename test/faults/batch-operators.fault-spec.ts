/** x402 `batch-settlement` whose seller's operator signs the vouchers, at a seller from the specification: paid only if its key is pinned. */
import { Keypair } from '@solana/web3.js';
import type { Failpoint } from '../../apps/api/src/runtime/failpoints';
import type { Api, Body } from '../support/api';
import { startBatchCalls, stopBatchCalls } from '../support/batch-calls';
import type { BatchSeller } from '../support/batch-seller';
import { eventually } from '../support/eventually';
import type { Service } from '../support/service';
import { SessionCalls } from '../support/session-calls';
import { bodyOf } from '../support/world';

jest.setTimeout(300_000);

let service: Service;
let by: Api;
let seller: BatchSeller;
let calls: SessionCalls;
beforeAll(async () => void ({ service, by, seller, calls } = await startBatchCalls({ signsItself: true })));
afterAll(() => stopBatchCalls({ service, seller }));
afterEach(() => calls.lostNothing());

const pin = async (operator_key: string | null): Promise<Body> =>
  bodyOf(await by.put(`/v1/providers/${encodeURIComponent(new URL(seller.url).host)}`, { operator_key }), 200);

test('a seller that signs its vouchers itself is not paid without a pinned key, nor with another one: the sentence says why', async () => {
  const agent = await calls.account();
  const unpinned = bodyOf(await calls.pay(calls.order(agent)), 402);
  expect(unpinned).toMatchObject({ rejection_reason: 'unsupported_method' });
  expect(unpinned.message).toMatch(new RegExp(`by the key ${seller.operator}.*no operator_key is pinned`));
  const other = Keypair.generate().publicKey.toBase58();
  await pin(other);
  const mismatched = bodyOf(await calls.pay(calls.order(agent)), 402);
  expect(mismatched).toMatchObject({ rejection_reason: 'unsupported_method' });
  expect(mismatched.message).toContain(`the operator_key of its host is ${other}`);
  expect(bodyOf(await by.get(`/v1/purses?account_id=${agent.id}`), 200).data).toEqual([]);
});

test('with its key pinned such a seller is paid what it charges, at most its price, and is shown as metered', async () => {
  await pin(seller.operator);
  const agent = await calls.account();
  const dry = bodyOf(await by.post('/v1/payments', calls.order(agent), { 'Dry-Run': 'true' }), 200);
  expect(dry).toMatchObject({ allowed: true, quotes: [{ method: 'channel', amount_usdc: '0.001000', metered: true, chosen: true }] });
  const purse_id = await calls.purse(agent);
  const amounts: unknown[] = [];
  for (const path of ['/quote', '/half', '/quote']) {
    const paid = bodyOf(await calls.pay(calls.order(agent, { purse_id }, path)), 200);
    expect(paid).toMatchObject({ status: 'paid', protocol: 'x402', method: 'channel', response: { status: 200 } });
    amounts.push(paid.amount_usdc);
  }
  expect(amounts).toEqual(['0.001000', '0.000500', '0.001000']);
  expect(await calls.channels(purse_id)).toMatchObject([{ status: 'open' }]);
  await calls.closesWith(agent, purse_id, '0.002500');
});

test('a call whose answer was lost counts as its price, and the chain shows what was taken', async () => {
  await pin(seller.operator);
  const agent = await calls.account();
  const purse_id = await calls.purse(agent);
  bodyOf(await calls.pay(calls.order(agent, { purse_id })), 200);
  const lost = calls.order(agent, { purse_id }, '/loses');
  bodyOf(await calls.pay(lost), 202);
  await eventually(async () => expect(bodyOf(await calls.pay(lost), 200)).toMatchObject({ amount_usdc: '0.001000' }), {
    timeoutMs: 60_000,
  });
  bodyOf(await calls.pay(calls.order(agent, { purse_id })), 200);
  await calls.closesWith(agent, purse_id, '0.003000');
});

test('a seller that signs for more than its call is allowed is paid unreceipted, and its channel is ended', async () => {
  await pin(seller.operator);
  const agent = await calls.account();
  const purse_id = await calls.purse(agent);
  const taken = bodyOf(await calls.pay(calls.order(agent, { purse_id }, '/greedy')), 200);
  expect(taken).toMatchObject({ status: 'paid_unreceipted', amount_usdc: '0.001000' });
  await eventually(async () => expect(await calls.channels(purse_id)).toMatchObject([{ status: 'closed', settled_usdc: '0.002000' }]), {
    timeoutMs: 60_000,
  });
  bodyOf(await calls.pay(calls.order(agent, { purse_id })), 200);
  await by.post(`/v1/purses/${purse_id}/close`);
  await calls.isSettled(agent, purse_id, '0.003000', 2);
});

test('a channel of vouchers that the seller signs is not used once its key is no longer pinned', async () => {
  await pin(seller.operator);
  const agent = await calls.account();
  const purse_id = await calls.purse(agent);
  bodyOf(await calls.pay(calls.order(agent, { purse_id })), 200);
  await pin(Keypair.generate().publicKey.toBase58());
  expect(bodyOf(await calls.pay(calls.order(agent, { purse_id })), 402)).toMatchObject({ rejection_reason: 'unsupported_method' });
  await calls.closesWith(agent, purse_id, '0.001000');
});

test.each<Failpoint>(['payment.signed', 'payment.authorized', 'payment.answered'])(
  'a process killed at %s leaves a call at a seller that signs its vouchers, which is paid once',
  async (point) => {
    await pin(seller.operator);
    const agent = await calls.account();
    const purse_id = await calls.purse(agent);
    const body = calls.order(agent, { purse_id });
    await calls.payAndDie(point, body);
    await calls.payAgain(body);
    await calls.closesWith(agent, purse_id, '0.001000');
  },
);
