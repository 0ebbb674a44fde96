import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Connection, Keypair, VersionedTransaction } from '@solana/web3.js';
import { api, type Api, type Body } from '../../support/api';
import { eventually } from '../../support/eventually';
import { startService, type Service } from '../../support/service';
import { anAccount, chainBalance, bodyOf, rpc, setPolicy, type TestAccount } from '../../support/world';
import { startX402Seller, type X402Seller, sellerTerms } from '../../support/x402-sellers/start';
import { listening } from '../../support/listening';

jest.setTimeout(300_000);

const PRICE = 10_000n;
/** More slots than a blockhash lives. */
const EXPIRY_SLOTS = 200;

let service: Service;
let by: Api;
let payee: TestAccount;
let network: string;
let stock: X402Seller;
beforeAll(async () => {
  service = await startService({ variables: { LEASE_MS: '1000' } });
  by = api(service.baseUrl, service.operatorKey);
  payee = await anAccount({ by });
  const terms = await sellerTerms(service, payee);
  ({ network } = terms);
  stock = await startX402Seller('express-v2', { ...terms, price: PRICE });
  await odd.start();
});
afterAll(async () => {
  odd.server.closeAllConnections();
  odd.server.close();
  await stock.stop();
  await service.stop();
});

/** A seller that asks what `offer` says, and does with a payment what the path says. */
const odd = {
  url: '',
  payments: [] as string[],
  offer: {} as Record<string, unknown>,
  arriving: (): Promise<unknown> => Promise.resolve(),
  server: createServer((request, response) => void odd.answer(request, response)),
  async start(): Promise<void> {
    odd.url = await listening(odd.server);
  },
  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const payment = request.headers['payment-signature'];
    if (typeof payment === 'string') {
      odd.payments.push(payment);
      if (request.url === '/claims') {
        const claim = { success: true, transaction: '1'.repeat(64), network, payer: payee.address };
        return void response.writeHead(200, { 'PAYMENT-RESPONSE': Buffer.from(JSON.stringify(claim)).toString('base64') }).end('a lie');
      }
      if (request.url === '/cuts') return void response.destroy();
      if (request.url === '/submits' && odd.payments.indexOf(payment) === odd.payments.length - 1) await submit(payment);
      if (request.url === '/pauses') await odd.arriving();
      if (request.url !== '/refuses') return void response.writeHead(402, { 'PAYMENT-RESPONSE': FAILED_SIMULATION }).end('{}');
    }
    response.writeHead(402, { 'PAYMENT-REQUIRED': Buffer.from(JSON.stringify(required(odd.offer))).toString('base64') }).end('{}');
  },
};

const FAILED_SIMULATION = Buffer.from(
  JSON.stringify({ success: false, errorReason: 'transaction_simulation_failed', transaction: '', network: 'solana' }),
).toString('base64');

/** The fee payer of a seller that submits payments itself. */
const sellersKey = Keypair.generate();

/** Signs a payment as its fee payer and submits it. */
async function submit(payment: string): Promise<void> {
  const connection = new Connection(service.sandbox.rpc_url, { commitment: 'confirmed', wsEndpoint: service.sandbox.ws_url });
  await connection.confirmTransaction(await connection.requestAirdrop(sellersKey.publicKey, 1_000_000_000), 'confirmed');
  const { payload } = JSON.parse(Buffer.from(payment, 'base64').toString()) as { payload: { transaction: string } };
  const transaction = VersionedTransaction.deserialize(Buffer.from(payload.transaction, 'base64'));
  transaction.sign([sellersKey]);
  await connection.confirmTransaction(await connection.sendTransaction(transaction), 'confirmed');
}

function required(change: Record<string, unknown>): object {
  const { usdc_mint: asset } = service.sandbox;
  const offer = {
    scheme: 'exact',
    network,
    amount: `${PRICE}`,
    asset,
    payTo: payee.address,
    maxTimeoutSeconds: 60,
    extra: { feePayer: payee.address },
    ...change,
  };
  return { x402Version: 2, resource: { url: odd.url }, accepts: [offer] };
}

const order = ({ id }: TestAccount, url: string, more: Body = {}): Body => ({
  account_id: id,
  idempotency_key: randomUUID(),
  max_amount: '1',
  request: { method: 'GET', url },
  ...more,
});
const pay = (body: Body) => by.post('/v1/payments', body);
const held = ({ tokenAccount }: TestAccount): Promise<bigint> => chainBalance(tokenAccount, service.sandbox.rpc_url);

test('a seller that takes nothing is free', async () => {
  const agent = await anAccount({ by, usdc: '1' });
  expect(bodyOf(await pay(order(agent, `${stock.url}/free`)), 200)).toMatchObject({
    status: 'free',
    amount_usdc: '0.000000',
  });
});

test('a seller whose work fails settles nothing: the payment is rejected or unknown until the charge ends, and no money moves', async () => {
  const agent = await anAccount({ by, usdc: '1' });
  const { body } = await pay(order(agent, `${stock.url}/failing`));
  await rpc('sandbox_advanceSlots', [{ slots: EXPIRY_SLOTS }], service.sandbox.rpc_url);
  await eventually(
    async () =>
      expect(bodyOf(await by.get(`/v1/payments/${body.payment_id}`), 200)).toMatchObject({
        status: 'rejected',
        rejection_reason: 'provider_refused',
      }),
    { timeoutMs: 60_000 },
  );
  expect(await held(agent)).toBe(1_000_000n);
});

describe('an x402 offer is declined before anything is signed', () => {
  test.each([
    ['above max_amount by one micro-USDC', { amount: '1000001' }, {}, 'max_amount'],
    ['on another network', { network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp' }, {}, 'network_mismatch'],
    ['in another token', { asset: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGkZwyTDt1v' }, {}, 'mint_mismatch'],
    ['of another scheme', { scheme: 'batch-settlement' }, {}, 'unsupported_method'],
    ['without a fee payer', { extra: {} }, {}, 'challenge_invalid'],
    ['of no amount', { amount: '0' }, {}, 'challenge_invalid'],
    ['above max_single_transfer', {}, { max_single_transfer: 0.009999 }, 'max_single_transfer'],
    [
      'at an account that lists other counterparties',
      {},
      { allowed_counterparties: ['11111111111111111111111111111112'] },
      'allowed_counterparties',
    ],
    ['at the escalation threshold', {}, { escalation_threshold: 0.01 }, 'escalation_threshold'],
  ])('%s', async (_what, offer, policy, reason) => {
    const agent = await anAccount({ by, usdc: '2', policy });
    odd.offer = offer;
    const sent = odd.payments.length;
    const answer = await pay(order(agent, odd.url));
    expect([answer.status, answer.body.rejection_reason]).toEqual([402, reason]);
    expect([odd.payments.length - sent, await held(agent)]).toEqual([0, 2_000_000n]);
  });

  test('to another payee than the operator pinned for the host', async () => {
    const agent = await anAccount({ by, usdc: '1' });
    odd.offer = {};
    const host = new URL(odd.url).host;
    bodyOf(await by.put(`/v1/providers/${host}`, { payee: agent.address, categories: [] }), 200);
    const answer = await pay(order(agent, odd.url));
    await by.delete(`/v1/providers/${host}`);
    expect([answer.status, answer.body.rejection_reason]).toEqual([402, 'recipient_mismatch']);
  });
});

test('a seller that claims a settlement that the chain does not show is not paid, and the same key pays nothing twice', async () => {
  const agent = await anAccount({ by, usdc: '1' });
  odd.offer = {};
  const body = order(agent, `${odd.url}/claims`);
  expect(bodyOf(await pay(body), 202)).toMatchObject({ status: 'unknown' });
  await rpc('sandbox_advanceSlots', [{ slots: EXPIRY_SLOTS }], service.sandbox.rpc_url);
  await eventually(async () => expect((await pay(body)).body).toMatchObject({ rejection_reason: 'provider_refused' }), {
    timeoutMs: 60_000,
  });
  expect(await held(agent)).toBe(1_000_000n);
});

test('a seller that refuses a payment gets it no second time, and its charge ends at once', async () => {
  const agent = await anAccount({ by, usdc: '1', policy: { max_daily_spend: 1 } });
  odd.offer = {};
  const sent = odd.payments.length;
  const answer = await pay(order(agent, `${odd.url}/refuses`));
  expect([answer.status, answer.body.rejection_reason, odd.payments.length - sent]).toEqual([402, 'provider_refused', 1]);
  expect(bodyOf(await by.get(`/v1/accounts/${agent.id}/spending`), 200)).toMatchObject({ reserved_usdc: '0.000000' });
});

test('a charge that the seller submits itself and whose facilitator then refuses it is paid, without an error', async () => {
  const agent = await anAccount({ by, usdc: '1' });
  odd.offer = { extra: { feePayer: sellersKey.publicKey.toBase58() } };
  const { status, body } = await pay(order(agent, `${odd.url}/submits`));
  expect([status, body]).toEqual([200, expect.objectContaining({ status: 'paid_unreceipted', amount_usdc: '0.010000' })]);
  expect(await held(agent)).toBe(990_000n);
});

test('a charge of an account that is paused while the seller has the credential is rejected, without an error', async () => {
  const agent = await anAccount({ by, usdc: '1' });
  odd.offer = {};
  odd.arriving = () => setPolicy(agent, { paused: true }, by);
  const { status, body } = await pay(order(agent, `${odd.url}/pauses`));
  expect([status, body]).toEqual([402, expect.objectContaining({ rejection_reason: 'provider_refused' })]);
  expect(await held(agent)).toBe(1_000_000n);
});

test('a credential for an agent with its own client pays the stock seller, by header and by object', async () => {
  const agent = await anAccount({ by, usdc: '1' });
  const url = `${stock.url}/report`;
  const asked = (await fetch(url)).headers.get('payment-required') ?? '';
  const object = JSON.parse(Buffer.from(asked, 'base64').toString()) as object;
  for (const payment_required of [asked, object]) {
    const body = { account_id: agent.id, idempotency_key: randomUUID(), max_amount: '1', url, payment_required };
    const credential = bodyOf(await by.post('/v1/payments/authorize', body), 200);
    expect(credential).toMatchObject({ header: 'payment-signature', payment_payload: { x402Version: 2 }, amount_usdc: '0.010000' });
    const response = await fetch(url, { headers: { [String(credential.header)]: String(credential.authorization) } });
    expect(response.status).toBe(200);
    const receipt = response.headers.get('payment-response');
    await eventually(async () =>
      expect(bodyOf(await by.get(`/v1/payments/${credential.payment_id}`), 200)).toMatchObject({
        status: 'paid_unreceipted',
        protocol: 'x402',
      }),
    );
    expect(bodyOf(await by.post(`/v1/payments/${credential.payment_id}/receipt`, { receipt }), 200)).toMatchObject({
      status: 'paid',
      receipt,
    });
  }
  expect(await held(agent)).toBe(980_000n);
});

test('a second x402 payment above max_daily_spend is declined, and is paid once the limit is lifted', async () => {
  const agent = await anAccount({ by, usdc: '1', policy: { max_daily_spend: 0.01 } });
  const url = `${stock.url}/report`;
  bodyOf(await pay(order(agent, url)), 200);
  const second = await pay(order(agent, url));
  expect([second.status, second.body.rejection_reason]).toEqual([402, 'max_daily_spend']);
  await setPolicy(agent, { max_daily_spend: null }, by);
  bodyOf(await pay(order(agent, url)), 200);
});
