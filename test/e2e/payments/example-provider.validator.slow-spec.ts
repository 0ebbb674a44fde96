import { randomBytes, randomUUID } from 'node:crypto';
import { getAssociatedTokenAddressSync } from '@solana/spl-token';
import { PublicKey } from '@solana/web3.js';
import { Chain, LocalSigner } from '#chain';
import { categoryOf, parseChargeRequest, parseReceipt, parseSessionRequest, serialiseCredential, type Challenge } from '#mpp';
import type { Answer, Body } from '../../support/api';
import { startExampleProvider, type ExampleProvider } from '../../support/example-provider';
import { settingsOf } from '../../support/operators';
import { anOutsider, type Outsider } from '../../support/outsider';
import { sharedService } from '../../support/service';
import { SmallOrderKey } from '../../support/small-order';
import { aMint, aTokenAccountOf } from '../../support/tokens';
import { challengeOf, payerOf, voucherCredential, type Payer } from '../../support/vouchers';
import { anAccount, chainBalance, bodyOf, operator } from '../../support/world';

jest.setTimeout(60_000);

const PRICE = 100n;

let provider: ExampleProvider;
let outsider: Outsider;
beforeAll(async () => void ([provider, outsider] = await Promise.all([startExampleProvider(), anOutsider()])));
afterAll(() => provider.stop());

/** A session of a new account with the provider, and the key that signs its vouchers. */
async function aSession(more: Body = {}): Promise<{ sessionId: string; payer: Payer & { seed: Uint8Array } }> {
  const account = await anAccount({ usdc: '1' });
  const order = {
    account_id: account.id,
    provider: provider.url,
    payee: provider.payee,
    cap: '0.001',
    idempotency_key: randomUUID(),
    ...more,
  };
  const { session_id: sessionId } = bodyOf(await operator().post('/v1/sessions', order), 201);
  return { sessionId, payer: await payerOf(sessionId) };
}

const ask = (path: string, credential?: string): Promise<Response> =>
  fetch(`${provider.url}${path}`, { headers: credential === undefined ? {} : { Authorization: credential } });
const challenge = async (path = '/quote'): Promise<Challenge> => challengeOf(await ask(path));
const pay = async (payer: Payer, cumulative: bigint, more?: { expiresAt: bigint }): Promise<Response> =>
  ask('/quote', await voucherCredential(await challenge(), payer, cumulative, more));
/** Status and type of the problem. */
const problemOf = async (response: Response): Promise<[number, string]> => {
  expect([response.headers.get('payment-receipt'), response.headers.get('cache-control')]).toEqual([null, 'no-store']);
  return [response.status, ((await response.json()) as Body).type.replace('https://paymentauth.org/problems/', '')];
};
const payeeTokenAccount = (): string =>
  getAssociatedTokenAddressSync(new PublicKey(sharedService().sandbox.usdc_mint), new PublicKey(provider.payee)).toBase58();
const cumulativeAmount = async ({ channelId }: Payer): Promise<string | undefined> =>
  ((await (await ask('/income')).json()) as Body).sessions.find(({ session }: Body) => session === channelId)?.promised;

test('the example provider serves /free without payment, and our parser reads its price', async () => {
  expect((await ask('/time')).status).toBe(200);
  const quote = await challenge();
  expect(parseSessionRequest(quote)).toMatchObject({
    amount: PRICE,
    currency: sharedService().sandbox.usdc_mint,
    recipient: provider.payee,
    network: 'localnet',
    channelProgram: sharedService().sandbox.program_id,
    hasSplits: false,
  });
  expect([categoryOf(quote), categoryOf(await challenge('/search'))]).toEqual(['data', 'search']);
  expect(parseChargeRequest(await challenge('/report'))).toMatchObject({
    amount: 10_000n,
    recipient: provider.payee,
    network: 'localnet',
    decimals: 6,
    hasSplits: false,
  });
});

test('each voucher buys one answer, and the receipt has the cumulative amount', async () => {
  const { payer } = await aSession();
  for (const cumulative of [100n, 200n]) {
    const answer = await pay(payer, cumulative);
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'private']);
    expect(await answer.json()).toMatchObject({ symbol: 'SOL' });
    expect(parseReceipt(answer.headers.get('payment-receipt') ?? '')).toMatchObject({
      method: 'solana',
      intent: 'session',
      reference: payer.channelId,
      challengeId: expect.any(String),
      members: { acceptedCumulative: `${cumulative}`, spent: `${cumulative}` },
    });
  }
});

test('the same credential gets the same answer at no further cost; its voucher buys nothing else', async () => {
  const { payer } = await aSession();
  const credential = await voucherCredential(await challenge(), payer, 100n);
  const answers = await Promise.all([1, 2, 3].map(() => ask('/quote', credential)));
  expect(new Set(await Promise.all(answers.map((answer) => answer.text()))).size).toBe(1);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(await problemOf(await pay(payer, 100n))).toEqual([402, 'session/delta-too-small']);
  expect(await problemOf(await ask('/search', credential))).toEqual([402, 'invalid-challenge']);
  expect(await cumulativeAmount(payer)).toBe('100');
});

test('the example provider rejects a voucher that is lower, forged or of another session, and changes nothing', async () => {
  const [{ payer }, { payer: other }] = [await aSession(), await aSession()];
  const thief = LocalSigner.generate().signer;
  expect((await pay(payer, 300n)).status).toBe(200);
  expect(await problemOf(await pay(payer, 399n))).toEqual([402, 'session/delta-too-small']);
  expect(await problemOf(await pay(payer, 200n))).toEqual([402, 'session/delta-too-small']);
  expect(await problemOf(await pay(payer, 1_001n))).toEqual([402, 'session/amount-exceeds-deposit']);
  expect(await problemOf(await pay({ ...payer, key: thief }, 500n))).toEqual([402, 'session/signer-mismatch']);
  // The right signer's name over another's signature, and the right signature in another session.
  const forged = Object.assign(Object.create(thief), { address: payer.key.address }) as LocalSigner;
  expect(await problemOf(await pay({ ...payer, key: forged }, 500n))).toEqual([402, 'session/invalid-signature']);
  // Valid for node:crypto, and not for the chain.
  expect(await problemOf(await pay({ ...payer, key: new SmallOrderKey(payer.seed) }, 500n))).toEqual([402, 'session/invalid-signature']);
  expect(await problemOf(await pay({ ...other, key: payer.key }, 500n))).toEqual([402, 'session/signer-mismatch']);
  expect(await problemOf(await pay({ ...payer, channelId: thief.address }, 500n))).toEqual([410, 'session/channel-not-found']);
  // Long past also for a validator whose clock is behind.
  expect(await problemOf(await pay(payer, 500n, { expiresAt: BigInt(Math.floor(Date.now() / 1000) - 600) }))).toEqual([
    402,
    'verification-failed',
  ]);
  expect(
    await problemOf(
      await ask('/quote', serialiseCredential({ challenge: await challenge(), payload: { action: 'open', channelId: payer.channelId } })),
    ),
  ).toEqual([402, 'invalid-payload']);
  expect([await cumulativeAmount(payer), await cumulativeAmount(other)]).toEqual(['300', undefined]);
  expect((await pay(payer, 1_000n)).status).toBe(200);
});

test('of two concurrent vouchers of a session one is accepted', async () => {
  const { payer } = await aSession();
  const offers = await Promise.all([1, 2, 3, 4].map(() => challenge()));
  const answers = await Promise.all(offers.map(async (offer) => ask('/quote', await voucherCredential(offer, payer, 100n))));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 402, 402, 402]);
});

test('the example provider rejects a session with another payee, one that has ended and one with too short a grace period', async () => {
  const { payer: elsewhere } = await aSession({ payee: outsider.owner });
  expect(await problemOf(await pay(elsewhere, 100n))).toEqual([402, 'verification-failed']);
  const { payer, sessionId } = await aSession();
  bodyOf(await operator().post(`/v1/sessions/${sessionId}/close`), 200);
  expect(await problemOf(await pay(payer, 100n))).toEqual([410, 'session/channel-not-found']);
  const careful = await startExampleProvider({ LEAST_GRACE_SECONDS: '60' });
  const offer = async (): Promise<Challenge> => challengeOf(await fetch(`${careful.url}/quote`));
  const statuses = [];
  for (const grace_seconds of [59, 60]) {
    const { payer: graced } = await aSession({ payee: careful.payee, grace_seconds });
    statuses.push(
      (await fetch(`${careful.url}/quote`, { headers: { Authorization: await voucherCredential(await offer(), graced, 100n) } })).status,
    );
  }
  await careful.stop();
  expect(statuses).toEqual([402, 200]);
});

test('accepted vouchers survive a crash of the provider, and the provider notices a top-up', async () => {
  const { payer, sessionId } = await aSession();
  const credential = await voucherCredential(await challenge(), payer, 900n);
  expect((await ask('/quote', credential)).status).toBe(200);
  await provider.kill('SIGKILL');
  await provider.start();
  expect((await ask('/quote', credential)).status).toBe(200);
  expect(await problemOf(await pay(payer, 900n))).toEqual([402, 'session/delta-too-small']);
  expect((await pay(payer, 1_000n)).status).toBe(200);
  expect(await problemOf(await pay(payer, 1_100n))).toEqual([402, 'session/amount-exceeds-deposit']);
  bodyOf(await operator().post(`/v1/sessions/${sessionId}/top_up`, { amount: '0.001', idempotency_key: randomUUID() }), 201);
  expect((await pay(payer, 1_100n)).status).toBe(200);
});

test('the example provider settles its highest voucher on chain by itself', async () => {
  const { payer } = await aSession();
  const tokenAccount = payeeTokenAccount();
  await fetch(`${provider.url}/settle`, { method: 'POST' });
  const before = await chainBalance(tokenAccount);
  for (const cumulative of [100n, 200n, 300n]) expect((await pay(payer, cumulative)).status).toBe(200);
  const { settled } = (await (await fetch(`${provider.url}/settle`, { method: 'POST' })).json()) as Body;
  expect(settled).toEqual([{ session: payer.channelId, cumulative: '300', tx_signature: expect.any(String) }]);
  expect(await chainBalance(tokenAccount)).toBe(before + 300n);
});

test('a session in a worthless mint buys nothing', async () => {
  const { sandbox } = sharedService();
  const feePayer = LocalSigner.fromSeed(Uint8Array.from(JSON.parse(settingsOf(sharedService()).FEE_PAYER_KEY ?? '') as number[]));
  const [authority, operatorKey, key] = [LocalSigner.generate().signer, LocalSigner.generate().signer, LocalSigner.generate().signer];
  const usdcMint = await aMint();
  await aTokenAccountOf(usdcMint, provider.payee);
  const options = {
    rpcUrls: [sandbox.rpc_url],
    webSocketUrls: [sandbox.ws_url],
    programId: sandbox.program_id,
    settlementCommitment: 'confirmed' as const,
    rpcTimeoutMs: 5_000,
    microLamportsPerComputeUnit: 0n,
  };
  const chain = await Chain.connect({ ...options, usdcMint, feePayer, mintAuthority: feePayer });
  const id = randomBytes(16);
  await chain.accounts.create({ id, operator: operatorKey.address, authority: authority.address });
  const { address, tokenAccount } = chain.accounts.plan(id);
  await chain.mint(tokenAccount, 1_000n);
  const order = {
    address,
    tokenAccount,
    sessionId: randomBytes(16),
    providerHash: randomBytes(32),
    payee: provider.payee,
    cap: 1_000n,
    category: null,
    voucherKey: key.address,
    expiresInSeconds: 3_600,
    graceSeconds: 0,
    authority: authority.address,
    approvedBy: null,
  };
  expect(await chain.orders.settle(await chain.sessions.signOpen(order, 1n, [authority]), 30_000)).toMatchObject({ kind: 'landed' });
  chain.close();
  expect(await problemOf(await pay({ channelId: chain.sessions.plan(address, 1n).address, key }, 100n))).toEqual([
    402,
    'session/insufficient-balance',
  ]);
});

test('the service pays the stock server through one session, and closing settles all payments at once', async () => {
  const account = await anAccount({ usdc: '1', policy: { categories: ['data'] } });
  const opening = {
    account_id: account.id,
    provider: provider.url,
    payee: provider.payee,
    cap: '0.5',
    category: 'data',
    idempotency_key: randomUUID(),
  };
  const { session_id } = bodyOf(await operator().post('/v1/sessions', opening), 201);
  const payFor = (path: string): Promise<Answer> =>
    operator().post('/v1/payments', {
      account_id: account.id,
      session_id,
      max_amount: '0.001',
      idempotency_key: randomUUID(),
      request: { method: 'GET', url: `${provider.url}${path}` },
    });
  const before = await chainBalance(payeeTokenAccount());
  for (let paid = 1; paid <= 5; paid++)
    expect(bodyOf(await payFor('/quote?symbol=BTC'), 200)).toMatchObject({
      status: 'paid',
      amount_usdc: '0.000100',
      category: 'data',
      response: { status: 200 },
    });
  expect(bodyOf(await payFor('/time'), 200)).toMatchObject({ status: 'free', amount_usdc: '0.000000' });
  expect((await payFor('/search')).body).toMatchObject({ rejection_reason: 'category_conflict' });
  expect(bodyOf(await operator().post(`/v1/sessions/${session_id}/close`), 200)).toMatchObject({
    settled_usdc: '0.000500',
    returned_usdc: '0.499500',
  });
  expect(await chainBalance(payeeTokenAccount())).toBe(before + 500n);
});

test('the stock server is paid once by a charge that it submits', async () => {
  const transaction = await outsider.sign(payeeTokenAccount(), 10_000n);
  const credential = serialiseCredential({ challenge: await challenge('/report'), payload: { type: 'transaction', transaction } });
  const before = await chainBalance(payeeTokenAccount());
  const answer = await ask('/report', credential);
  expect([answer.status, await answer.json()]).toEqual([200, expect.objectContaining({ report: expect.any(String) })]);
  expect(parseReceipt(answer.headers.get('payment-receipt') ?? '')).toMatchObject({ method: 'solana', reference: expect.any(String) });
  expect(await chainBalance(payeeTokenAccount())).toBe(before + 10_000n);
  expect((await ask('/report', credential)).status).toBeGreaterThanOrEqual(400);
  expect(await chainBalance(payeeTokenAccount())).toBe(before + 10_000n);
});

test('the service pays the stock server by a charge, and nothing stays reserved', async () => {
  const account = await anAccount({ usdc: '1', policy: { max_daily_spend: 0.5 } });
  const before = await chainBalance(payeeTokenAccount());
  const paid = await operator().post('/v1/payments', {
    account_id: account.id,
    max_amount: '0.01',
    idempotency_key: randomUUID(),
    request: { method: 'GET', url: `${provider.url}/report` },
  });
  expect(bodyOf(paid, 200)).toMatchObject({
    status: 'paid',
    amount_usdc: '0.010000',
    session_id: null,
    tx_signature: expect.any(String),
    response: { status: 200 },
  });
  expect(await chainBalance(payeeTokenAccount())).toBe(before + 10_000n);
  expect(bodyOf(await operator().get(`/v1/accounts/${account.id}/spending`), 200)).toMatchObject({
    balance_usdc: '0.990000',
    spent_usdc: '0.010000',
    reserved_usdc: '0.000000',
  });
  expect(bodyOf(await operator().get(`/v1/accounts/${account.id}/transactions?type=transfer`), 200).data[0]).toMatchObject({
    type: 'transfer',
    amount_usdc: '0.010000',
    direction: 'out',
    tx_signature: paid.body.tx_signature,
  });
});
