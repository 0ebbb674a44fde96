/** Metered sellers: x402 `upto` by the stock server and facilitator, out of a channel purse that the payment makes for itself. */
import { randomUUID } from 'node:crypto';
import { api, type Answer, type Api, type Body } from '../../support/api';
import { eventually } from '../../support/eventually';
import { startService, type Service } from '../../support/service';
import { anAccount, bodyOf, chainBalance, eventsOf, setPolicy, entriesOf, type TestAccount } from '../../support/world';
import { startX402Seller, type X402Seller, sellerTerms } from '../../support/x402-sellers/start';

jest.setTimeout(300_000);

const PRICE = 100_000n;

let service: Service;
let by: Api;
let payee: TestAccount;
let treasury: string;
let seller: X402Seller;
beforeAll(async () => {
  service = await startService({ variables: { LEASE_MS: '1000' } });
  by = api(service.baseUrl, service.operatorKey);
  payee = await anAccount({ by });
  treasury = String(service.sandbox.channels_treasury);
  seller = await startX402Seller('upto', { ...(await sellerTerms(service, payee)), price: PRICE });
});
afterAll(async () => {
  await seller.stop();
  await service.stop();
});

const order = ({ id }: TestAccount, path: string, more: Body = {}): Body => ({
  account_id: id,
  idempotency_key: randomUUID(),
  max_amount: '1',
  request: { method: 'GET', url: `${seller.url}${path}` },
  ...more,
});
const pay = (body: Body): Promise<Answer> => by.post('/v1/payments', body);
const balance = ({ tokenAccount }: TestAccount): Promise<bigint> => chainBalance(tokenAccount, service.sandbox.rpc_url);
const closedPurse = (id: unknown): Promise<Body> =>
  eventually(async () => {
    const purse = bodyOf(await by.get(`/v1/purses/${id}`), 200);
    expect(purse.status).toBe('closed');
    return purse;
  });

test.each([
  [40_000n, '0.040000'],
  [100_000n, '0.100000'],
  [1n, '0.000001'],
])('a call of a stock upto seller that used %s is paid exactly that, and the rest comes home', async (cost, amount) => {
  const agent = await anAccount({ by, usdc: '1' });
  const before = await balance(payee);
  const body = order(agent, `/infer?cost=${cost}`);
  const payment = bodyOf(await pay(body), 200);
  expect(payment).toMatchObject({ status: 'paid', amount_usdc: amount, protocol: 'x402', method: 'channel', response: { status: 200 } });
  expect(payment.tx_signature).toEqual(expect.any(String));
  expect((await balance(payee)) - before).toBe(cost);
  const purse = await closedPurse(payment.purse_id);
  expect(purse).toMatchObject({ kind: 'channel', payment_id: payment.payment_id, amount_usdc: '0.100000', spent_usdc: amount });
  await eventually(async () => expect(await balance(agent)).toBe(1_000_000n - cost));
  expect(await entriesOf(agent, by)).toMatchObject([
    { type: 'transfer', amount_usdc: amount, counterparty: payee.address, tx_signature: payment.tx_signature, purse_id: payment.purse_id },
  ]);
  expect(bodyOf(await by.get(`/v1/accounts/${agent.id}`), 200)).toMatchObject({ held_usdc: '0.000000' });
  expect(bodyOf(await pay(body), 200)).toEqual(payment);
  const events = (await eventsOf(agent, service.sandbox.database_url)).map(([type]) => type);
  expect(events.filter((type) => type === 'transfer.settled')).toHaveLength(1);
  expect(events.filter((type) => type.startsWith('purse.'))).toEqual([]);
  expect(await chainBalance(treasury, service.sandbox.rpc_url)).toBe(0n);
});

test('a call that used nothing is paid with zero, and is no record', async () => {
  const agent = await anAccount({ by, usdc: '1' });
  const payment = bodyOf(await pay(order(agent, '/infer?cost=0')), 200);
  expect(payment).toMatchObject({ status: 'paid', amount_usdc: '0.000000', method: 'channel' });
  await closedPurse(payment.purse_id);
  await eventually(async () => expect(await balance(agent)).toBe(1_000_000n));
  expect(await entriesOf(agent, by)).toEqual([]);
});

test('calls of one account at once are paid each out of its own purse', async () => {
  const agent = await anAccount({ by, usdc: '1' });
  const payments = await Promise.all([1, 2, 3].map(async (n) => bodyOf(await pay(order(agent, `/infer?cost=${n}0000`)), 200)));
  expect(payments.map(({ status, amount_usdc }) => [status, amount_usdc])).toEqual([1, 2, 3].map((n) => ['paid', `0.0${n}0000`]));
  for (const { purse_id } of payments) await closedPurse(purse_id);
  await eventually(async () => expect(await balance(agent)).toBe(940_000n));
});

test('the maximum is held to max_amount and to each limit, and a decline moves nothing', async () => {
  const agent = await anAccount({ by, usdc: '1' });
  expect(bodyOf(await pay(order(agent, '/infer', { max_amount: '0.099999' })), 402)).toMatchObject({ policy: { rule: 'max_amount' } });
  await setPolicy(agent, { max_daily_spend: 0.099999 }, by);
  expect(bodyOf(await pay(order(agent, '/infer')), 402)).toMatchObject({ policy: { rule: 'max_daily_spend' } });
  await setPolicy(agent, { max_daily_spend: 0.1 }, by);
  expect(bodyOf(await pay(order(agent, '/infer?cost=1')), 200)).toMatchObject({ status: 'paid', amount_usdc: '0.000001' });
});

test('accounts that list counterparties are declined by charge_with_listed_recipients', async () => {
  const agent = await anAccount({ by, usdc: '1' });
  await setPolicy(agent, { allowed_counterparties: [payee.address] }, by);
  expect(bodyOf(await pay(order(agent, '/infer')), 402)).toMatchObject({ policy: { rule: 'charge_with_listed_recipients' } });
  expect(await balance(agent)).toBe(1_000_000n);
});

test('of exact and upto the lower price is paid', async () => {
  const agent = await anAccount({ by, usdc: '1' });
  expect(bodyOf(await pay(order(agent, '/report')), 200)).toMatchObject({ method: 'charge', amount_usdc: '0.100000' });
});

test('a dry run shows the maximum as metered, and moves nothing', async () => {
  const agent = await anAccount({ by, usdc: '1' });
  const answer = bodyOf(await by.post('/v1/payments', order(agent, '/infer'), { 'Dry-Run': 'true' }), 200);
  expect(answer).toMatchObject({ allowed: true, quotes: [{ method: 'channel', amount_usdc: '0.100000', metered: true, chosen: true }] });
  expect(await balance(agent)).toBe(1_000_000n);
});
