/** Stock sellers of payment channels, of x402 `upto` in both dialects and of MPP sessions, on the chain that the service runs on. */
import { randomUUID } from 'node:crypto';
import { PublicKey } from '@solana/web3.js';
import { api, type Api, type Body } from '../../support/api';
import { tokenAccountOf } from '../../support/channels';
import { eventually } from '../../support/eventually';
import { SessionSeller, testWithSeller } from '../../support/mpp-session-seller';
import { startService, type Service } from '../../support/service';
import { SessionCalls } from '../../support/session-calls';
import { anAccount, bodyOf, chainBalance, everyRow, type TestAccount } from '../../support/world';
import { startX402Seller, type X402Seller, sellerTerms } from '../../support/x402-sellers/start';

jest.setTimeout(300_000);

const PRICE = 100_000n;
const TREASURY = 'Cs2zdfUNonRdRGsiZUQQLdTxzxVvJZmgiX2mpLYKuEqP';

let service: Service;
let by: Api;
let payee: TestAccount;
let treasury: string;
let sellers: Record<'upto' | 'pay-kit', X402Seller>;
beforeAll(async () => {
  service = await startService({ variables: { LEASE_MS: '1000' } });
  by = api(service.baseUrl, service.operatorKey);
  payee = await anAccount({ by });
  treasury = await tokenAccountOf(service, new PublicKey(TREASURY));
  const settings = { ...(await sellerTerms(service, payee)), price: PRICE };
  sellers = { upto: await startX402Seller('upto', settings), 'pay-kit': await startX402Seller('pay-kit', settings) };
});
afterAll(async () => {
  await Promise.all(Object.values(sellers).map((seller) => seller.stop()));
  await service.stop();
});
afterEach(async () => expect(await chainBalance(treasury, service.sandbox.rpc_url)).toBe(0n));

const balance = (tokenAccount: string): Promise<bigint> => chainBalance(tokenAccount, service.sandbox.rpc_url);

/** The owner that a seller asks to be paid at, and its token account, which exists then. */
async function payeeOf(url: string): Promise<{ owner: string; tokenAccount: string }> {
  const header = (await fetch(url)).headers.get('payment-required') ?? '';
  const { accepts } = JSON.parse(Buffer.from(header, 'base64').toString()) as { accepts: { scheme: string; payTo: string }[] };
  const owner = accepts.find(({ scheme }) => scheme === 'upto')?.payTo ?? '';
  return { owner, tokenAccount: await tokenAccountOf(service, new PublicKey(owner)) };
}

test.each<['upto' | 'pay-kit', string]>([
  ['upto', '/infer'],
  ['pay-kit', '/infer'],
  ['pay-kit', '/own'],
])('the stock metered seller %s%s is paid what each call used, and the rest comes home', async (kind, path) => {
  const agent = await anAccount({ by, usdc: '1', policy: { max_daily_spend: 1 } });
  const { url } = sellers[kind];
  const paid = await payeeOf(`${url}${path}`);
  const before = await balance(paid.tokenAccount);
  const purse = { kind: 'channel', account_id: agent.id, amount: '0.3', idempotency_key: randomUUID() };
  const { purse_id } = bodyOf(await by.post('/v1/purses', purse), 201);
  const order = (cost: number): Body => ({
    account_id: agent.id,
    idempotency_key: randomUUID(),
    max_amount: '0.1',
    purse_id,
    request: { method: 'GET', url: `${url}${path}?cost=${cost}` },
  });
  const costs = [40_000, 100_000];
  for (const cost of costs) {
    const body = order(cost);
    const payment = await eventually(async () => bodyOf(await by.post('/v1/payments', body), 200), { timeoutMs: 60_000 });
    expect(payment).toMatchObject({ status: 'paid', protocol: 'x402', method: 'channel', response: { status: 200 } });
  }
  expect((await balance(paid.tokenAccount)) - before).toBe(140_000n);
  await by.post(`/v1/purses/${purse_id}/close`);
  await eventually(
    async () => expect(bodyOf(await by.get(`/v1/purses/${purse_id}`), 200)).toMatchObject({ status: 'closed', spent_usdc: '0.140000' }),
    { timeoutMs: 120_000 },
  );
  await eventually(async () => expect(await balance(agent.tokenAccount)).toBe(860_000n), { timeoutMs: 60_000 });
  const rows = (await everyRow(`/v1/accounts/${agent.id}/transactions`, by)).filter(({ direction }) => direction === 'out');
  expect(rows.map(({ amount_usdc }) => amount_usdc).sort()).toEqual(['0.040000', '0.100000']);
  for (const row of rows) expect(row).toMatchObject({ type: 'transfer', counterparty: paid.owner });
});

testWithSeller('the stock MPP session seller is paid by one channel, which is topped up, and its close is one record', async () => {
  const session = await SessionSeller.start(service, { amount: 1_000, deposit: 3_000 });
  const calls = new SessionCalls(service, by, session);
  const agent = await calls.account();
  const before = await balance(session.tokenAccount);
  const { purse_id } = bodyOf(await calls.pay(calls.order(agent, { open_session: { cap: '0.01' } })), 200);
  for (let call = 0; call < 3; call++) bodyOf(await calls.pay(calls.order(agent)), 200);
  expect(await calls.channels(purse_id)).toMatchObject([{ deposit_usdc: '0.006000', status: 'open' }]);
  await by.post(`/v1/purses/${purse_id}/close`);
  await calls.isSettled(agent, purse_id, '0.004000');
  expect((await balance(session.tokenAccount)) - before).toBe(4_000n);
  session.stop();
});
