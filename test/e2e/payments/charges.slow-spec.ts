import { randomUUID } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import { parseCredential, serialiseChallenge } from '#mpp';
import { api, type Api, type Body } from '../../support/api';
import { eventually } from '../../support/eventually';
import { startService, type Service } from '../../support/service';
import { startStockChargeProvider, type StockChargeProvider } from '../../support/stock-charges';
import { freeze, thaw } from '../../support/tokens';
import { anAccount, chainBalance, eventsOf, everyRow, bodyOf, query, rpc, setPolicy, linesOf, type TestAccount } from '../../support/world';
import { listening } from '../../support/listening';

jest.setTimeout(300_000);

const PRICE = 10_000n;
/** Longer than a blockhash is valid. */
const EXPIRY_SLOTS = 200;

let service: Service;
let by: Api;
/** Owner of the token account that is paid. */
let payee: TestAccount;
let stock: StockChargeProvider;
beforeAll(async () => {
  service = await startService({ variables: { LEASE_MS: '1000' } });
  by = api(service.baseUrl, service.operatorKey);
  payee = await anAccount({ by });
  stock = await startStockChargeProvider(service, payee.address);
  await odd.start();
});
afterAll(async () => {
  odd.stop();
  stock.stop();
  await service.stop();
});

/** A provider that does with the transaction what the path says. */
const odd = {
  url: '',
  credentials: [] as string[],
  server: createServer((request, response) => void odd.answer(request.url ?? '', request.headers.authorization, response)),
  async start(): Promise<void> {
    odd.url = await listening(odd.server);
  },
  stop(): void {
    odd.server.closeAllConnections();
    odd.server.close();
  },
  async answer(path: string, credential: string | undefined, response: ServerResponse): Promise<void> {
    const { usdc_mint: currency, rpc_url: url } = service.sandbox;
    if (credential !== undefined) {
      odd.credentials.push(credential);
      const transaction = String(parseCredential(credential).payload.transaction);
      if (path.startsWith('/takes')) await rpc('sendTransaction', [transaction, { encoding: 'base64' }], url);
      if (path.endsWith('/and-cuts')) return void response.destroy();
    }
    const request = { amount: `${PRICE}`, currency, recipient: payee.address, methodDetails: { network: 'localnet', decimals: 6 } };
    const challenge = serialiseChallenge({
      id: randomUUID(),
      realm: 'odd',
      method: 'solana',
      intent: 'charge',
      expires: new Date(Date.now() + 300_000).toISOString(),
      request,
    });
    response.writeHead(402, { 'WWW-Authenticate': challenge }).end('{}');
  },
};

const order = ({ id }: TestAccount, url: string): Body => ({
  account_id: id,
  idempotency_key: randomUUID(),
  max_amount: '0.01',
  request: { method: 'GET', url },
});
const pay = (account: TestAccount, url: string) => by.post('/v1/payments', order(account, url));
const balance = ({ tokenAccount }: TestAccount): Promise<bigint> => chainBalance(tokenAccount, service.sandbox.rpc_url);
const rows = (statement: string, values: unknown[] = []) => query(statement, values, service.sandbox.database_url);
const spending = async ({ id }: TestAccount): Promise<Body> => bodyOf(await by.get(`/v1/accounts/${id}/spending`), 200);
const history = ({ id }: TestAccount): Promise<Body[]> => everyRow(`/v1/accounts/${id}/transactions`, by);
const PAID = ['transfer', '0.010000', null];
const ended = (id: string): Promise<Body> =>
  eventually(
    async () => {
      const { body } = await by.get(`/v1/payments/${id}`);
      expect(body.status).not.toBe('unknown');
      return body;
    },
    { timeoutMs: 30_000 },
  );

describe('charges at an unmodified provider', () => {
  test.each(['/report', '/sponsored'])(
    'an unmodified provider is paid once for %s, and the delegate can move nothing afterwards',
    async (path) => {
      const account = await anAccount({ usdc: '1', policy: { max_daily_spend: 1, categories: ['data'] }, by });
      const before = await balance(payee);
      const given = order(account, `${stock.url}${path}`);
      const body = bodyOf(await by.post('/v1/payments', given), 200);
      expect(body).toMatchObject({
        status: 'paid',
        amount_usdc: '0.010000',
        category: 'data',
        session_id: null,
        receipt: { status: 'success', method: 'solana', reference: body.tx_signature },
        response: { status: 200 },
      });
      expect([await balance(payee), await balance(account)]).toEqual([before + PRICE, 990_000n]);
      expect(await spending(account)).toMatchObject({ spent_usdc: '0.010000', reserved_usdc: '0.000000' });
      expect(
        (await rpc('getAccountInfo', [account.tokenAccount, { encoding: 'jsonParsed' }], service.sandbox.rpc_url)).value.data.parsed?.info
          .delegate,
      ).toBeUndefined();
      expect((await history(account)).find(({ type }) => type === 'transfer')).toMatchObject({
        direction: 'out',
        amount_usdc: '0.010000',
        counterparty: payee.address,
        category: 'data',
        tx_signature: body.tx_signature,
      });
      expect(bodyOf(await by.post('/v1/payments', given), 200).tx_signature).toBe(body.tx_signature);
      expect(await balance(payee)).toBe(before + PRICE);
      const eventData = {
        transfer_id: body.payment_id,
        payment_id: body.payment_id,
        account_id: account.id,
        amount_usdc: '0.010000',
        tx_signature: body.tx_signature,
        settled_at: expect.any(String),
      };
      expect((await eventsOf(account, service.sandbox.database_url)).filter(([type]) => type.startsWith('transfer.'))).toEqual([
        ['transfer.settled', eventData],
      ]);
    },
  );
});

test.each<[string, Body, string, Body]>([
  ['at the threshold', { escalation_threshold: 0.01 }, 'escalation_threshold', { limit_usdc: '0.010000' }],
  ['above max_single_transfer', { max_single_transfer: 0.009999 }, 'max_single_transfer', { limit_usdc: '0.009999' }],
  ['above the rest of the daily limit', { max_daily_spend: 0.009 }, 'max_daily_spend', { remaining_usdc: '0.009000' }],
  ['of an account that lists counterparties', { allowed_counterparties: [] }, 'charge_with_listed_recipients', {}],
  ['of a paused account', { paused: true }, 'paused', {}],
])('a charge %s is declined with the numbers', async (_what, policy, rule, numbers) => {
  const account = await anAccount({ usdc: '1', policy, by });
  const { status, body } = await pay(account, `${odd.url}/declined`);
  expect([status, body]).toEqual([
    402,
    expect.objectContaining({
      rejection_reason: rule,
      payment_id: expect.any(String),
      policy: expect.objectContaining({ rule, ...numbers, attempted_usdc: '0.010000' }),
    }),
  ]);
  expect([
    await linesOf(account, by),
    (await eventsOf(account, service.sandbox.database_url)).map(([type]) => type).filter((type) => type.startsWith('escalation')),
  ]).toEqual([[['rejection', '0.010000', rule]], []]);
});

test('a charge that lacked balance runs again under its idempotency key', async () => {
  const account = await anAccount({ usdc: '0.009999', by });
  const given = order(account, `${stock.url}/report`);
  expect((await by.post('/v1/payments', given)).body).toMatchObject({
    error: 'insufficient_balance',
    policy: { remaining_usdc: '0.009999' },
  });
  bodyOf(await by.post('/v1/sandbox/faucet', { account_id: account.id, amount: '0.000001' }), 200);
  bodyOf(await by.post('/v1/payments', given), 200);
  expect(await linesOf(account, by)).toEqual([PAID, ['rejection', '0.010000', 'insufficient_balance']]);
});

describe('charges at a misbehaving provider', () => {
  test.each(['/takes/and-asks-again', '/takes/and-cuts'])(
    'a charge at a provider that does %s is paid once, by one credential',
    async (path) => {
      const account = await anAccount({ usdc: '1', by });
      odd.credentials = [];
      const { status, body } = await pay(account, `${odd.url}${path}`);
      expect([200, 202]).toContain(status);
      expect(await ended(body.payment_id)).toMatchObject({ status: 'paid_unreceipted', tx_signature: expect.any(String), receipt: null });
      expect([odd.credentials.length, await balance(account), await linesOf(account, by)]).toEqual([1, 990_000n, [PAID]]);
    },
  );

  test('a charge that a pause ended is rejected, and its transaction can no longer land', async () => {
    const account = await anAccount({ usdc: '1', by });
    odd.credentials = [];
    const { body } = await pay(account, `${odd.url}/waits`);
    expect(body.status).toBe('unknown');
    await setPolicy(account, { paused: true }, by);
    expect(await ended(body.payment_id)).toMatchObject({ status: 'rejected', rejection_reason: 'provider_refused' });
    const late = String(parseCredential(odd.credentials[0] ?? '').payload.transaction);
    await rpc('sendTransaction', [late, { encoding: 'base64' }], service.sandbox.rpc_url).catch(() => undefined);
    expect([await balance(account), await linesOf(account, by)]).toEqual([1_000_000n, [['rejection', '0.010000', 'provider_refused']]]);
  });

  test('a pause while the token account is frozen ends the charge once it is thawed, before the charge expires', async () => {
    const account = await anAccount({ usdc: '1', policy: { max_daily_spend: 1 }, by });
    odd.credentials = [];
    const { body } = await pay(account, `${odd.url}/waits`);
    await freeze(account.tokenAccount, service);
    expect((await setPolicy(account, { paused: true }, by)).paused).toBe(true);
    expect((await spending(account)).reserved_usdc).toBe('0.010000');
    await thaw(account.tokenAccount, service);
    expect(await ended(body.payment_id)).toMatchObject({ status: 'rejected', rejection_reason: 'provider_refused' });
    const late = String(parseCredential(odd.credentials[0] ?? '').payload.transaction);
    await rpc('sendTransaction', [late, { encoding: 'base64' }], service.sandbox.rpc_url).catch(() => undefined);
    expect([await balance(account), await spending(account)]).toEqual([
      1_000_000n,
      expect.objectContaining({ reserved_usdc: '0.000000', spent_usdc: '0.000000' }),
    ]);
  });

  test('a charge that the provider never submits is unknown until it has expired; then money and limit are released', async () => {
    const account = await anAccount({ usdc: '0.01', policy: { max_daily_spend: 0.01 }, by });
    odd.credentials = [];
    const { status, body } = await pay(account, `${odd.url}/never`);
    expect([status, body.status, (await spending(account)).reserved_usdc]).toEqual([202, 'unknown', '0.010000']);
    await rpc('sandbox_advanceSlots', [{ slots: EXPIRY_SLOTS }], service.sandbox.rpc_url);
    expect(await ended(body.payment_id)).toMatchObject({ status: 'rejected', rejection_reason: 'provider_refused' });
    expect([odd.credentials.length, await spending(account)]).toEqual([
      1,
      expect.objectContaining({ reserved_usdc: '0.000000', spent_usdc: '0.000000' }),
    ]);
    bodyOf(await pay(account, `${stock.url}/sponsored`), 200);
    expect(await linesOf(account, by)).toEqual([PAID, ['rejection', '0.010000', 'provider_refused']]);
  });
});

test('an approval whose payment cannot be built is revoked, and the next charge works', async () => {
  const account = await anAccount({ usdc: '1', policy: { max_daily_spend: 1 }, by });
  const wasPayee = payee;
  // Not a wallet: a token account has no token account of its own.
  payee = { ...payee, address: payee.tokenAccount };
  expect((await pay(account, `${odd.url}/takes`)).body).toMatchObject({ rejection_reason: 'challenge_invalid' });
  payee = wasPayee;
  expect([await spending(account), await rows('SELECT * FROM open_charges WHERE account_id = $1', [account.id])]).toEqual([
    expect.objectContaining({ reserved_usdc: '0.000000', spent_usdc: '0.000000' }),
    [],
  ]);
  bodyOf(await pay(account, `${stock.url}/report`), 200);
});

test('an agent that calls the provider itself gets the credential, and the charge is found paid on chain', async () => {
  const account = await anAccount({ usdc: '1', by });
  const url = `${stock.url}/sponsored`;
  const challenges = [(await fetch(url)).headers.get('www-authenticate')];
  const given = bodyOf(
    await by.post('/v1/payments/authorize', { account_id: account.id, idempotency_key: randomUUID(), max_amount: '0.01', url, challenges }),
    200,
  );
  const answer = await fetch(url, { headers: { [given.header]: given.authorization } });
  expect(answer.status).toBe(200);
  bodyOf(await by.post(`/v1/payments/${given.payment_id}/receipt`, { receipt: answer.headers.get('payment-receipt') }), 200);
  expect(await ended(given.payment_id)).toMatchObject({ status: 'paid', amount_usdc: '0.010000', tx_signature: expect.any(String) });
  expect(await linesOf(account, by)).toEqual([PAID]);
});
