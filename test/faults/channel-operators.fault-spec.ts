/** MPP sellers whose operator signs the vouchers itself, at the stock seller of PyPI: paid only if its key is pinned for the host. */
import { Keypair } from '@solana/web3.js';
import { api, type Api, type Body } from '../support/api';
import { eventually } from '../support/eventually';
import { SessionSeller, testWithSeller } from '../support/mpp-session-seller';
import { startService, type Service } from '../support/service';
import { SessionCalls } from '../support/session-calls';
import { bodyOf } from '../support/world';

jest.setTimeout(300_000);

let service: Service;
let by: Api;
let seller: SessionSeller;
let calls: SessionCalls;
beforeAll(async () => {
  service = await startService({ variables: { LEASE_MS: '1000', SETTLEMENT_WAIT_MS: '3000' } });
  by = api(service.baseUrl, service.operatorKey);
  seller = await SessionSeller.start(service, { amount: 1_000, deposit: 2_000, voucher_signer: 'operator' });
  calls = new SessionCalls(service, by, seller);
});
afterAll(async () => {
  seller.stop();
  await service.stop();
});

const opening = { open_session: { cap: '0.01' } };
const pin = async (operator_key: string): Promise<Body> =>
  bodyOf(await by.put(`/v1/providers/${encodeURIComponent(new URL(seller.url).host)}`, { operator_key }), 200);

testWithSeller('without a pinned key, and with another one, nothing is opened: the sentence says why', async () => {
  const agent = await calls.account();
  const unpinned = bodyOf(await calls.pay(calls.order(agent, opening)), 402);
  expect(unpinned).toMatchObject({ rejection_reason: 'unsupported_method' });
  expect(unpinned.message).toMatch(new RegExp(`sign the vouchers itself, by the key ${seller.payee}.*no operator_key is pinned`));
  const other = Keypair.generate().publicKey.toBase58();
  await pin(other);
  const mismatched = bodyOf(await calls.pay(calls.order(agent, opening)), 402);
  expect(mismatched).toMatchObject({ rejection_reason: 'unsupported_method' });
  expect(mismatched.message).toContain(`the operator_key of its host is ${other}`);
  expect(bodyOf(await by.get(`/v1/purses?account_id=${agent.id}`), 200).data).toEqual([]);
});

testWithSeller('with its key pinned a seller signs the vouchers of its calls, and a call whose answer was lost counts once', async () => {
  await pin(seller.payee);
  const agent = await calls.account();
  const first = bodyOf(await calls.pay(calls.order(agent, opening)), 200);
  expect(first).toMatchObject({ status: 'paid', protocol: 'mpp', method: 'channel', amount_usdc: '0.001000' });
  const lost = calls.order(agent, {}, '/balk');
  bodyOf(await calls.pay(lost), 202);
  await eventually(async () => expect(bodyOf(await calls.pay(lost), 200)).toMatchObject({ status: 'paid_unreceipted' }), {
    timeoutMs: 60_000,
  });
  bodyOf(await calls.pay(calls.order(agent)), 200);
  expect(await calls.channels(first.purse_id)).toMatchObject([{ deposit_usdc: '0.004000', status: 'open' }]);
  await by.post(`/v1/purses/${first.purse_id}/close`);
  await calls.isSettled(agent, first.purse_id, '0.003000');
});

testWithSeller('a channel of vouchers that the seller signs is not used once its key is no longer pinned', async () => {
  await pin(seller.payee);
  const agent = await calls.account();
  const first = bodyOf(await calls.pay(calls.order(agent, opening)), 200);
  await pin(Keypair.generate().publicKey.toBase58());
  expect(bodyOf(await calls.pay(calls.order(agent)), 402)).toMatchObject({ rejection_reason: 'unsupported_method' });
  await by.post(`/v1/purses/${first.purse_id}/close`);
  await calls.isSettled(agent, first.purse_id, '0.001000');
});
