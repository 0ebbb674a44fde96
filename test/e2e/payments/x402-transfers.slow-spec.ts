import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Connection, Keypair, VersionedTransaction } from '@solana/web3.js';
import { api, type Api, type Body } from '../../support/api';
import { eventually } from '../../support/eventually';
import { startService, type Service } from '../../support/service';
import { anAccount, bodyOf, chainBalance, rpc, setPolicy, type TestAccount } from '../../support/world';
import { startX402Seller, type X402Seller, sellerTerms } from '../../support/x402-sellers/start';
import { listening } from '../../support/listening';

jest.setTimeout(300_000);

const PRICE = 10_000n;
/** More slots than a blockhash lives. */
const EXPIRY_SLOTS = 200;
const NOT_ALLOWED = 'invalid_exact_svm_smart_wallet_program_not_allowed';

let service: Service;
let by: Api;
let payee: TestAccount;
let network: string;
/** Stock sellers whose facilitators list our program, or the programs that they list by themselves. */
let taking: X402Seller;
let refusing: X402Seller;
beforeAll(async () => {
  service = await startService({ variables: { LEASE_MS: '1000' } });
  by = api(service.baseUrl, service.operatorKey);
  payee = await anAccount({ by });
  const settings = { ...(await sellerTerms(service, payee)), price: PRICE };
  ({ network } = settings);
  [taking, refusing] = await Promise.all([
    startX402Seller('express-v2', { ...settings, walletPrograms: [service.sandbox.program_id] }),
    startX402Seller('express-v2', { ...settings, walletPrograms: [] }),
  ]);
  await fundSeller();
  await late.start();
});
afterAll(async () => {
  late.server.closeAllConnections();
  late.server.close();
  await Promise.all([taking.stop(), refusing.stop()]);
  await service.stop();
});

const sellersKey = Keypair.generate();
const connection = (): Connection =>
  new Connection(service.sandbox.rpc_url, { commitment: 'confirmed', wsEndpoint: service.sandbox.ws_url });
const fundSeller = async (): Promise<void> =>
  void (await connection().confirmTransaction(await connection().requestAirdrop(sellersKey.publicKey, 1_000_000_000), 'confirmed'));

/** Signs a payment as its fee payer and submits it. @throws the node's error if it cannot land */
async function submit(payment: string): Promise<string> {
  const { payload } = JSON.parse(Buffer.from(payment, 'base64').toString()) as { payload: { transaction: string } };
  const transaction = VersionedTransaction.deserialize(Buffer.from(payload.transaction, 'base64'));
  transaction.sign([sellersKey]);
  const signature = await connection().sendTransaction(transaction);
  await connection().confirmTransaction(signature, 'confirmed');
  return signature;
}

/** A seller that says that it takes transfers, and does with each payment what `with` says. */
const late = {
  url: '',
  payments: [] as string[],
  with: async (_payment: string, _count: number): Promise<string | null> => null,
  server: createServer((request, response) => void late.answer(request, response)),
  async start(): Promise<void> {
    late.url = await listening(late.server);
  },
  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const payment = request.headers['payment-signature'];
    const error = typeof payment === 'string' ? await late.with(payment, late.payments.push(payment)) : 'payment is missing';
    if (error === null) return void response.writeHead(200).end('served');
    const { usdc_mint: asset } = service.sandbox;
    const extra = { feePayer: sellersKey.publicKey.toBase58(), features: { smartWalletSupported: true } };
    const offer = { scheme: 'exact', network, amount: `${PRICE}`, asset, payTo: payee.address, maxTimeoutSeconds: 60, extra };
    const required = { x402Version: 2, error, resource: { url: late.url }, accepts: [offer] };
    response.writeHead(402, { 'PAYMENT-REQUIRED': Buffer.from(JSON.stringify(required)).toString('base64') }).end('{}');
  },
};

const order = ({ id }: TestAccount, url: string, more: Body = {}): Body => ({
  account_id: id,
  idempotency_key: randomUUID(),
  max_amount: '1',
  request: { method: 'GET', url },
  ...more,
});
const pay = (body: Body) => by.post('/v1/payments', body);
const held = ({ tokenAccount }: TestAccount): Promise<bigint> => chainBalance(tokenAccount, service.sandbox.rpc_url);
const expire = (): Promise<unknown> => rpc('sandbox_advanceSlots', [{ slots: EXPIRY_SLOTS }], service.sandbox.rpc_url);
const final = (id: unknown, expected: Body): Promise<void> =>
  eventually(async () => expect(bodyOf(await by.get(`/v1/payments/${id}`), 200)).toMatchObject(expected), { timeoutMs: 60_000 });
const listing = (usdc = '1', policy: Body = {}): Promise<TestAccount> =>
  anAccount({ by, usdc, policy: { allowed_counterparties: [payee.address], ...policy } });
/** Forgets what the seller answered: the operator says something of its host. */
const forget = async (url: string): Promise<void> =>
  void bodyOf(await by.put(`/v1/providers/${new URL(url).host}`, { wallet_programs: null, max_seconds: 30 }), 200);

describe('a seller whose facilitator lists the program', () => {
  test.each(['report', 'invoice'])('is paid by an account that lists it, without a transaction of ours: /%s', async (path) => {
    const agent = await listing('1', { require_memo: true });
    const paid = bodyOf(await pay(order(agent, `${taking.url}/${path}`)), 200);
    expect(paid).toMatchObject({ status: 'paid', method: 'transfer', protocol: 'x402', amount_usdc: '0.010000' });
    const receipt = JSON.parse(Buffer.from(String(paid.receipt), 'base64').toString()) as { transaction: string };
    const { data } = bodyOf(await by.get(`/v1/accounts/${agent.id}/transactions?type=transfer`), 200);
    expect(data).toMatchObject([{ payment_id: paid.payment_id, tx_signature: receipt.transaction, memo: null, amount_usdc: '0.010000' }]);
    expect(await held(agent)).toBe(990_000n);
  });

  test('is paid once for one idempotency key, and many times at once', async () => {
    const agent = await listing();
    const bodies = [1, 2, 3].map(() => order(agent, `${taking.url}/report`));
    const answers = await Promise.all([...bodies, ...bodies].map(pay));
    expect(answers.map(({ status, body }) => [status, body.method])).toEqual(answers.map(() => [200, 'transfer']));
    expect(await held(agent)).toBe(970_000n);
  });

  test('is declined by an account that does not list it', async () => {
    const agent = await anAccount({ by, usdc: '1', policy: { allowed_counterparties: [] } });
    expect((await pay(order(agent, `${taking.url}/report`))).body).toMatchObject({ rejection_reason: 'allowed_counterparties' });
  });

  test('is declined at the escalation threshold and paid below it', async () => {
    const agent = await listing('1', { escalation_threshold: 0.01 });
    expect((await pay(order(agent, `${taking.url}/report`))).body).toMatchObject({ rejection_reason: 'escalation_threshold' });
    await setPolicy(agent, { escalation_threshold: 0.010001 }, by);
    bodyOf(await pay(order(agent, `${taking.url}/report`)), 200);
  });

  test('is paid by a charge by an account that lists nobody, until the operator or the seller says that it takes transfers', async () => {
    await forget(taking.url);
    const { host } = new URL(taking.url);
    const agent = await anAccount({ by, usdc: '1' });
    const methodAt = async (path: string) => bodyOf(await pay(order(agent, `${taking.url}/${path}`)), 200).method;
    expect(await methodAt('report')).toBe('charge');
    expect(await methodAt('flagged')).toBe('transfer');
    bodyOf(await by.put(`/v1/providers/${host}`, { wallet_programs: false }), 200);
    expect(await methodAt('flagged')).toBe('charge');
    bodyOf(await by.put(`/v1/providers/${host}`, { wallet_programs: true }), 200);
    expect(await methodAt('report')).toBe('transfer');
    await by.delete(`/v1/providers/${host}`);
    expect(await methodAt('report')).toBe('transfer'); // remembered
  });
});

describe('a seller whose facilitator does not list the program', () => {
  test('is paid by a charge at once, and without a transfer the next time', async () => {
    const agent = await anAccount({ by, usdc: '1' });
    const first = bodyOf(await pay(order(agent, `${refusing.url}/flagged`)), 200);
    expect(first).toMatchObject({ status: 'paid', method: 'charge' });
    const forecast = await by.post('/v1/payments', order(agent, `${refusing.url}/flagged`), { 'Dry-Run': 'true' });
    expect(bodyOf(forecast, 200).quotes).toMatchObject([{ method: 'charge', chosen: true }]);
    expect(bodyOf(await pay(order(agent, `${refusing.url}/flagged`)), 200)).toMatchObject({ method: 'charge' });
    expect(await held(agent)).toBe(980_000n);
  });

  test('is not paid by an account that lists it: unknown until the transfer expires, declined from then on', async () => {
    await forget(refusing.url);
    const agent = await listing();
    const { status, body } = await pay(order(agent, `${refusing.url}/report`));
    expect([status, body.status]).toEqual([202, 'unknown']);
    await expire();
    await final(body.payment_id, { status: 'rejected', rejection_reason: 'charge_with_listed_recipients' });
    const next = await pay(order(agent, `${refusing.url}/report`));
    expect([next.status, next.body.rejection_reason]).toEqual([402, 'charge_with_listed_recipients']);
    expect(await held(agent)).toBe(1_000_000n);
  });

  test('gives an agent with its own client the credential of a charge when it says what was refused', async () => {
    await forget(refusing.url);
    const agent = await anAccount({ by, usdc: '1' });
    const url = `${refusing.url}/flagged`;
    const payment_required = (await fetch(url)).headers.get('payment-required') ?? '';
    const body = { account_id: agent.id, idempotency_key: randomUUID(), max_amount: '1', url, payment_required };
    const first = bodyOf(await by.post('/v1/payments/authorize', body), 200);
    expect(bodyOf(await by.post('/v1/payments/authorize', body), 200).authorization).toBe(first.authorization);
    const other = bodyOf(await by.post('/v1/payments/authorize', { ...body, refused: 'another_error' }), 200);
    expect(other.authorization).toBe(first.authorization);
    const next = bodyOf(await by.post('/v1/payments/authorize', { ...body, refused: `${NOT_ALLOWED}: program` }), 200);
    expect(next.authorization).not.toBe(first.authorization);
    const served = await fetch(url, { headers: { [String(next.header)]: String(next.authorization) } });
    expect(served.status).toBe(200);
    await final(first.payment_id, { status: 'paid_unreceipted', method: 'charge' });
    expect(await held(agent)).toBe(990_000n);
  });
});

describe('of a transfer and the charge that takes its nonce over only one lands', () => {
  test('the transfer, if the seller submits it before it refuses it', async () => {
    await forget(late.url);
    const agent = await anAccount({ by, usdc: '1' });
    late.payments.length = 0;
    let landed = '';
    late.with = async (payment) => {
      landed = await submit(payment);
      return `${NOT_ALLOWED}: program`;
    };
    const answer = await pay(order(agent, late.url));
    expect(bodyOf(answer, 200)).toMatchObject({ status: 'paid_unreceipted', method: 'transfer', tx_signature: landed });
    expect([late.payments.length, await held(agent)]).toEqual([1, 990_000n]);
    bodyOf(await pay(order(agent, `${taking.url}/report`)), 200);
  });

  test('the charge, if the seller submits the transfer afterwards', async () => {
    await forget(late.url);
    const agent = await anAccount({ by, usdc: '1' });
    late.payments.length = 0;
    late.with = async (payment, count) => {
      if (count === 1) return `${NOT_ALLOWED}: program`;
      await expect(submit(late.payments[0] ?? '')).rejects.toThrow('0x1778'); // 6008: the nonce is used
      await submit(payment);
      return null;
    };
    expect(bodyOf(await pay(order(agent, late.url)), 200)).toMatchObject({ status: 'paid_unreceipted', method: 'charge' });
    expect(await held(agent)).toBe(990_000n);
  });
});

test('a transfer that is out counts against the limits of its account until it expires', async () => {
  await forget(late.url);
  const agent = await anAccount({ by, usdc: '1', policy: { max_daily_spend: 0.019999 } });
  late.with = async () => 'another_error';
  const first = await pay(order(agent, late.url));
  expect([first.status, first.body.status]).toEqual([202, 'unknown']);
  const transfer = { from: agent.id, to: payee.id, amount: '0.01', memo: 'm', idempotency_key: randomUUID() };
  const declined = await by.post('/v1/transfers', transfer);
  expect(declined.body).toMatchObject({ rejection_reason: 'max_daily_spend', policy: { remaining_usdc: '0.009999' } });
  await expire();
  await final(first.body.payment_id, { status: 'rejected', rejection_reason: 'provider_refused' });
  const again = { ...transfer, idempotency_key: randomUUID() };
  expect(bodyOf(await by.post('/v1/transfers', again, { 'Dry-Run': 'true' }), 200)).toMatchObject({ allowed: true });
});

test('a transfer that is out when its account is paused cannot land', async () => {
  await forget(late.url);
  const agent = await anAccount({ by, usdc: '1' });
  late.with = async (payment) => {
    await setPolicy(agent, { paused: true }, by);
    await expect(submit(payment)).rejects.toThrow();
    return 'another_error';
  };
  const { body } = await pay(order(agent, late.url));
  await expire();
  await final(body.payment_id, { status: 'rejected' });
  expect(await held(agent)).toBe(1_000_000n);
});

test('a transfer that the seller submits a while after it refused it is paid_unreceipted', async () => {
  await forget(late.url);
  const agent = await anAccount({ by, usdc: '1' });
  late.payments.length = 0;
  late.with = async () => 'another_error';
  const { body } = await pay(order(agent, late.url));
  expect(body.status).toBe('unknown');
  const tx_signature = await submit(late.payments[0] ?? '');
  await final(body.payment_id, { status: 'paid_unreceipted', method: 'transfer', tx_signature });
  const { data } = bodyOf(await by.get(`/v1/accounts/${payee.id}/transactions?type=transfer&limit=1`), 200);
  expect(data).toMatchObject([{ direction: 'in', counterparty: agent.id, amount_usdc: '0.010000', payment_id: body.payment_id }]);
  expect(await held(agent)).toBe(990_000n);
});
