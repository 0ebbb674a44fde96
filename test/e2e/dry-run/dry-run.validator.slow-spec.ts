import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serialiseChallenge } from '#mpp';
import type { Body } from '../../support/api';
import { sharedService } from '../../support/service';
import { anAccount, bodyOf, operator, order, query, setPolicy, type TestAccount } from '../../support/world';
import { listening } from '../../support/listening';

/** An owner without a token account. */
const WALLET = '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T';
const DRY = { 'Dry-Run': 'true' };
const dry = async (path: string, body: Body) => operator().post(path, body, DRY);

/** Everything that a dry run must leave as it is. */
async function traces({ id }: TestAccount): Promise<unknown> {
  const counts = await query(
    `SELECT (SELECT count(*) FROM orders WHERE account_id = $1) AS orders, (SELECT count(*) FROM sessions WHERE account_id = $1) AS sessions,
            (SELECT count(*) FROM payments WHERE account_id = $1) AS payments, (SELECT count(*) FROM events WHERE account_id = $1) AS events,
            (SELECT count(*) FROM ledger_entries WHERE account_id = $1 AND type <> 'deposit') AS entries, (SELECT next_seq FROM accounts WHERE id = $1) AS next_seq`,
    [id],
  );
  return { counts, balance: bodyOf(await operator().get(`/v1/accounts/${id}/balance`), 200).balance_usdc };
}

/** A decline without what a dry run cannot name: the request, and the order that it does not store. */
function withoutIds(body: Body): Body {
  const { request_id: _request, transfer_id: _transfer, session_id: _session, payment_id: _payment, ...rest } = body;
  return rest;
}

/** Runs a request dry, checks that it left no trace, then runs it, and compares the prediction with what happened. */
async function predicted(account: TestAccount, path: string, body: Body): Promise<Body> {
  const before = await traces(account);
  const forecast = bodyOf(await dry(path, body), 200);
  expect(await traces(account)).toEqual(before);
  const { status, body: real } = await operator().post(path, body);
  const { allowed, requires_approval, decline } = forecast;
  expect({ dry_run: forecast.dry_run, allowed, requires_approval }).toEqual({
    dry_run: true,
    allowed: status < 300,
    requires_approval: status === 202 && real.status === 'pending_approval',
  });
  if (status >= 300) expect(withoutIds(decline)).toEqual({ ...withoutIds(real), http_status: status });
  return forecast;
}

describe('a dry run of a transfer predicts the real one', () => {
  test.each<[string, Body, string, Body]>([
    ['that settles', {}, '1', {}],
    ['at max_single_transfer', { max_single_transfer: 1 }, '1', {}],
    ['one micro-USDC above max_single_transfer', { max_single_transfer: 1 }, '1.000001', {}],
    ['above max_daily_spend', { max_daily_spend: 0.5 }, '0.500001', {}],
    ['above the balance', {}, '2.000001', {}],
    ['of a category that is not allowed', { categories: ['data'] }, '1', { category: 'travel' }],
    ['without the memo that the policy requires', { require_memo: true }, '1', {}],
    ['of a paused account', { paused: true }, '1', {}],
    ['at the escalation threshold', { escalation_threshold: 1 }, '1', {}],
    ['to an address that is no token account', {}, '1', { to: '11111111111111111111111111111111' }],
  ])('%s', async (_what, policy, amount, more) => {
    const [payer, payee] = [await anAccount({ usdc: '2', policy }), await anAccount()];
    const forecast = await predicted(payer, '/v1/transfers', order(payer, payee, amount, more));
    expect(forecast.amount_usdc).toBe(`${Number(amount).toFixed(6)}`);
  });

  test('whose key is used: by the same request and by another', async () => {
    const [payer, payee] = [await anAccount({ usdc: '2' }), await anAccount()];
    const body = order(payer, payee, '1');
    bodyOf(await operator().post('/v1/transfers', body), 200);
    expect(bodyOf(await dry('/v1/transfers', body), 200)).toMatchObject({ allowed: true, requires_approval: false, replay: true });
    const forecast = await predicted(payer, '/v1/transfers', { ...body, amount: '2' });
    expect(forecast).toMatchObject({ decline: { error: 'idempotency_conflict', http_status: 409 } });
    expect(forecast).not.toHaveProperty('replay');
  });

  test('whose key is used by one that was declined, by one that waits for an approval, and by one that may run again', async () => {
    const [payer, payee] = [
      await anAccount({ usdc: '2', policy: { max_single_transfer: 1.5, escalation_threshold: 1 } }),
      await anAccount(),
    ];
    const [declined, waiting, unpayable] = [order(payer, payee, '1.6'), order(payer, payee, '1'), order(payer, payee, '0.9')];
    expect((await operator().post('/v1/transfers', declined)).status).toBe(402);
    bodyOf(await operator().post('/v1/transfers', waiting), 202);
    expect(bodyOf(await dry('/v1/transfers', declined), 200)).toMatchObject({
      allowed: false,
      replay: true,
      decline: { rejection_reason: 'max_single_transfer' },
    });
    expect(bodyOf(await dry('/v1/transfers', waiting), 200)).toMatchObject({ allowed: true, requires_approval: true, replay: true });
    for (const amount of ['0.9', '0.9']) bodyOf(await operator().post('/v1/transfers', order(payer, payee, amount)), 200);
    expect((await operator().post('/v1/transfers', unpayable)).body).toMatchObject({ rejection_reason: 'insufficient_balance' });
    expect(bodyOf(await dry('/v1/transfers', unpayable), 200)).not.toHaveProperty('replay');
  });
});

describe('a dry run of a session predicts the real one', () => {
  const opening = (account: TestAccount, payee: TestAccount, cap: string): Body => ({
    account_id: account.id,
    provider: 'https://api.example.com',
    payee: payee.address,
    cap,
    idempotency_key: randomUUID(),
  });

  test.each<[string, Body, string]>([
    ['that opens', {}, '1'],
    ['one micro-USDC above max_session_cap', { max_session_cap: 1 }, '1.000001'],
    ['above max_daily_spend', { max_daily_spend: 0.5 }, '1'],
    ['at the escalation threshold', { escalation_threshold: 1 }, '1'],
  ])('%s', async (_what, policy, cap) => {
    const [account, payee] = [await anAccount({ usdc: '2', policy }), await anAccount()];
    await predicted(account, '/v1/sessions', opening(account, payee, cap));
  });

  test('and of its top-ups, within the balance and above it', async () => {
    const [account, payee] = [await anAccount({ usdc: '2' }), await anAccount()];
    const { session_id } = bodyOf(await operator().post('/v1/sessions', opening(account, payee, '1')), 201);
    for (const amount of ['0.5', '0.500001'])
      await predicted(account, `/v1/sessions/${session_id}/top_up`, { amount, idempotency_key: randomUUID() });
  });
});

describe('a dry run of a payment', () => {
  let payee: TestAccount;
  let requests: (string | undefined)[];
  const seller = createServer((request, response) => {
    requests.push(request.headers.authorization ?? (request.headers['payment-signature'] as string | undefined));
    if (request.url === '/free') return void response.end('free');
    const currency = sharedService().sandbox.usdc_mint;
    const challenge = serialiseChallenge({
      id: randomUUID(),
      realm: 'dry',
      method: 'solana',
      intent: 'charge',
      expires: '2099-01-01T00:00:00.000Z',
      request: {
        amount: '10000',
        currency,
        recipient: request.url === '/wallet' ? WALLET : payee.address,
        methodDetails: { network: 'localnet', decimals: 6 },
      },
    });
    response
      .writeHead(402, { 'WWW-Authenticate': challenge.replace('2099-01-01T00:00:00.000Z', new Date(Date.now() + 300_000).toISOString()) })
      .end('{}');
  });
  const url = (path = ''): string => `http://127.0.0.1:${(seller.address() as AddressInfo).port}${path}`;
  beforeAll(async () => {
    payee = await anAccount();
    await listening(seller);
  });
  beforeEach(() => void (requests = []));
  afterAll(() => void seller.close());
  const payment = (account: TestAccount, more: Body = {}, path = ''): Body => ({
    account_id: account.id,
    idempotency_key: randomUUID(),
    max_amount: '1',
    request: { method: 'GET', url: url(path) },
    ...more,
  });

  test('makes the one unpaid request and shows the price, how it would be paid, and that it is allowed', async () => {
    const account = await anAccount({ usdc: '1' });
    const before = await traces(account);
    expect(bodyOf(await dry('/v1/payments', payment(account)), 200)).toEqual({
      dry_run: true,
      allowed: true,
      requires_approval: false,
      amount_usdc: '0.010000',
      quotes: [
        {
          protocol: 'mpp',
          method: 'charge',
          amount_usdc: '0.010000',
          payee: payee.address,
          network: 'localnet',
          category: null,
          expires_at: expect.any(String),
          chosen: true,
        },
      ],
    });
    expect([requests, await traces(account)]).toEqual([[undefined], before]);
  });

  test.each<[string, Body, Body, string]>([
    ['above max_amount', {}, { max_amount: '0.009999' }, 'max_amount'],
    ['above max_single_transfer', { max_single_transfer: 0.009 }, {}, 'max_single_transfer'],
    ['at the escalation threshold', { escalation_threshold: 0.01 }, {}, 'escalation_threshold'],
    ['of an account with counterparties', { allowed_counterparties: [] }, {}, 'charge_with_listed_recipients'],
  ])('%s shows the decline that the payment gets', async (_what, policy, more, rule) => {
    const account = await anAccount({ usdc: '1', policy });
    const forecast = await predicted(account, '/v1/payments', payment(account, more));
    expect(forecast).toMatchObject({ decline: { rejection_reason: rule }, quotes: [{ chosen: false, amount_usdc: '0.010000' }] });
  });

  test('to a payee without a token account is declined as the payment is', async () => {
    const account = await anAccount({ usdc: '1' });
    const forecast = await predicted(account, '/v1/payments', payment(account, {}, '/wallet'));
    expect(forecast).toMatchObject({ decline: { rejection_reason: 'challenge_invalid' }, quotes: [{ chosen: false }] });
  });

  test('of a resource that is free costs nothing', async () => {
    const account = await anAccount({ usdc: '1' });
    expect(bodyOf(await dry('/v1/payments', payment(account, {}, '/free')), 200)).toMatchObject({
      allowed: true,
      amount_usdc: '0.000000',
      quotes: [],
      provider_status: 200,
      message: 'The provider asks for nothing: HTTP 200.',
    });
  });

  test('of a provider that is not there shows 502', async () => {
    const account = await anAccount({ usdc: '1' });
    const body = { ...payment(account), request: { method: 'GET', url: 'http://127.0.0.1:9/' } };
    expect(bodyOf(await dry('/v1/payments', body), 200)).toMatchObject({
      allowed: false,
      decline: { error: 'provider_unreachable', http_status: 502 },
    });
  });
});

test('a dry run of a policy change shows the policy as it would be and a sentence for each change, and changes nothing', async () => {
  const account = await anAccount({ policy: { max_daily_spend: 5, categories: ['data'] } });
  const path = `/v1/accounts/${account.id}/policy`;
  const before = bodyOf(await operator().get(path), 200);
  const wanted = { max_daily_spend: null, max_single_transfer: 1.5, paused: true };
  const { policy, changes, dry_run } = bodyOf(await operator().put(path, wanted, DRY), 200);
  expect(dry_run).toBe(true);
  expect(changes).toHaveLength(3);
  expect(bodyOf(await operator().get(path), 200)).toEqual(before);
  await setPolicy(account, wanted);
  const { version: _version, updated_at: _at, ...after } = bodyOf(await operator().get(path), 200);
  expect(policy).toMatchObject(after);
});

test('a dry run of a policy change refuses an outdated version and an unknown counterparty as the change does', async () => {
  const { id } = await anAccount();
  const path = `/v1/accounts/${id}/policy`;
  for (const [body, headers] of [
    [{ paused: true }, { 'If-Match': '"99"' }],
    [{ allowed_counterparties: ['nobody'] }, {}],
  ] as const) {
    const [predictedAnswer, real] = [
      await operator().put(path, body, { ...DRY, ...headers }),
      await operator().put(path, body, { ...headers }),
    ];
    expect([predictedAnswer.status, predictedAnswer.body.error]).toEqual([real.status, real.body.error]);
  }
});

test.each(['false', '1', 'TRUE', ''])('the header Dry-Run: %j is 400 and the request is not executed', async (value) => {
  const [payer, payee] = [await anAccount({ usdc: '2' }), await anAccount()];
  const { status } = await operator().post('/v1/transfers', order(payer, payee, '1'), { 'Dry-Run': value });
  expect([status, await query('SELECT id FROM orders WHERE account_id = $1', [payer.id])]).toEqual([400, []]);
});

test('a dry run of a request that has none is 400, so that nothing is done by mistake', async () => {
  const { id } = await anAccount();
  expect((await operator().post(`/v1/accounts/${id}/close`, {}, DRY)).status).toBe(400);
  expect((await operator().get(`/v1/accounts/${id}`)).status).toBe(200);
});

test.each<[string, Body, number]>([
  ['an invalid body', { amount: 'much' }, 400],
  ['an account that does not exist', { from: 'acct_01k9x5m8yv3q7r2t4w6z8a0b1c' }, 404],
])('a dry run with %s answers as the request does', async (_what, change, status) => {
  const [payer, payee] = [await anAccount(), await anAccount()];
  expect((await dry('/v1/transfers', { ...order(payer, payee, '1'), ...change })).status).toBe(status);
});
