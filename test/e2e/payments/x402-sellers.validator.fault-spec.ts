import { randomUUID } from 'node:crypto';
import { api, type Answer, type Api, type Body } from '../../support/api';
import { eventually } from '../../support/eventually';
import { startService, type Service } from '../../support/service';
import { anAccount, bodyOf, chainBalance, eventsOf, everyRow, type TestAccount } from '../../support/world';
import { startX402Seller, type X402Seller, sellerTerms } from '../../support/x402-sellers/start';

jest.setTimeout(300_000);

const PRICE = 10_000n;
const KINDS = ['express-v2', 'express-v1', 'pay-kit'] as const;

let service: Service;
let by: Api;
let payee: TestAccount;
const sellers: Record<string, X402Seller> = {};
beforeAll(async () => {
  service = await startService({ variables: { LEASE_MS: '1000' } });
  by = api(service.baseUrl, service.operatorKey);
  payee = await anAccount({ by });
  const settings = { ...(await sellerTerms(service, payee)), price: PRICE };
  for (const kind of KINDS) sellers[kind] = await startX402Seller(kind, settings);
  for (const [name, walletPrograms] of [
    ['taking', [service.sandbox.program_id]],
    ['refusing', []],
  ] as const)
    sellers[name] = await startX402Seller('express-v2', { ...settings, walletPrograms: [...walletPrograms] });
});
afterAll(async () => {
  await Promise.all(Object.values(sellers).map((seller) => seller.stop()));
  await service.stop();
});

const order = ({ id }: TestAccount, url: string, more: Body = {}): Body => ({
  account_id: id,
  idempotency_key: randomUUID(),
  max_amount: '1',
  request: { method: 'GET', url },
  ...more,
});
const pay = (body: Body): Promise<Answer> => by.post('/v1/payments', body);
const balance = ({ tokenAccount }: TestAccount): Promise<bigint> => chainBalance(tokenAccount, service.sandbox.rpc_url);
const spendingLines = async ({ id }: TestAccount): Promise<Body[]> =>
  (await everyRow(`/v1/accounts/${id}/transactions`, by)).filter(({ type }) => type !== 'deposit');

describe.each([
  ['express-v2', '/report'],
  ['express-v2', '/invoice'],
  ['express-v2', '/upfront'],
  ['express-v2', '/identified'],
  ['express-v1', '/report'],
  ['pay-kit', '/x402'],
  ['pay-kit', '/report'],
])('the stock seller %s%s', (kind, path) => {
  test('is paid exactly once by an x402 charge, and the ledger, the event and the chain agree', async () => {
    const agent = await anAccount({ by, usdc: '1' });
    const before = await balance(payee);
    const body = order(agent, `${sellers[kind]?.url}${path}`);
    const payment = bodyOf(await pay(body), 200);
    expect(payment).toMatchObject({
      status: 'paid',
      amount_usdc: '0.010000',
      protocol: 'x402',
      method: 'charge',
      session_id: null,
      purse_id: null,
      receipt: expect.stringMatching(/^[A-Za-z0-9+/]+=*$/),
      response: { status: 200 },
      tx_signature: expect.any(String),
    });
    expect([(await balance(payee)) - before, await balance(agent)]).toEqual([PRICE, 990_000n]);
    expect(bodyOf(await pay(body), 200)).toEqual(payment);
    expect(await balance(agent)).toBe(990_000n);
    expect(await spendingLines(agent)).toMatchObject([
      { type: 'transfer', amount_usdc: '0.010000', counterparty: payee.address, tx_signature: payment.tx_signature },
    ]);
    const events = (await eventsOf(agent, service.sandbox.database_url)).filter(([type]) => type === 'transfer.settled');
    expect(events).toMatchObject([['transfer.settled', { payment_id: payment.payment_id, amount_usdc: '0.010000' }]]);
  });

  test('is paid out of a purse three times, two of them at once, and the close and the chain agree', async () => {
    const agent = await anAccount({ by, usdc: '1' });
    const before = await balance(payee);
    const opened = await by.post('/v1/purses', { account_id: agent.id, amount: '0.1', idempotency_key: randomUUID() });
    const { purse_id } = bodyOf(opened, 201);
    const once = () => pay(order(agent, `${sellers[kind]?.url}${path}`, { purse_id }));
    const answers = [await once(), ...(await Promise.all([once(), once()]))];
    for (const answer of answers)
      expect(bodyOf(answer, 200)).toMatchObject({ status: 'paid', protocol: 'x402', method: 'purse', purse_id, amount_usdc: '0.010000' });
    // Closing answers 202 while a credential could still land.
    await eventually(
      async () =>
        expect(bodyOf(await by.post(`/v1/purses/${purse_id}/close`), 200)).toMatchObject({
          status: 'closed',
          spent_usdc: '0.030000',
          returned_usdc: '0.070000',
        }),
      { timeoutMs: 120_000 },
    );
    expect([(await balance(payee)) - before, await balance(agent)]).toEqual([3n * PRICE, 970_000n]);
    expect(await spendingLines(agent)).toHaveLength(3);
  });
});

test('a stock facilitator that lists the program settles transfers by an account that lists its counterparties, several at once', async () => {
  const agent = await anAccount({ by, usdc: '1', policy: { allowed_counterparties: [payee.address], max_daily_spend: 1 } });
  const answers = await Promise.all([1, 2, 3].map(() => pay(order(agent, `${sellers.taking?.url}/invoice`))));
  for (const answer of answers) expect(bodyOf(answer, 200)).toMatchObject({ status: 'paid', method: 'transfer', amount_usdc: '0.010000' });
  expect(await balance(agent)).toBe(970_000n);
  const signatures = answers.map(({ body }) => String(body.tx_signature)).toSorted();
  expect((await spendingLines(agent)).map(({ tx_signature }) => String(tx_signature)).toSorted()).toEqual(signatures);
  expect(bodyOf(await by.get(`/v1/accounts/${agent.id}/spending`), 200)).toMatchObject({
    spent_usdc: '0.030000',
    reserved_usdc: '0.000000',
  });
});

test('a stock facilitator that does not list the program is paid by a charge under the nonce of the transfer', async () => {
  const agent = await anAccount({ by, usdc: '1' });
  expect(bodyOf(await pay(order(agent, `${sellers.refusing?.url}/flagged`)), 200)).toMatchObject({ status: 'paid', method: 'charge' });
  expect(await balance(agent)).toBe(990_000n);
});

test('the stock MPP charge of @solana/pay-kit is paid, where the seller offers only that', async () => {
  const agent = await anAccount({ by, usdc: '1' });
  const payment = bodyOf(await pay(order(agent, `${sellers['pay-kit']?.url}/mpp`)), 200);
  expect(payment).toMatchObject({ status: 'paid', protocol: 'mpp', method: 'charge', amount_usdc: '0.010000' });
  expect(await balance(agent)).toBe(990_000n);
});
