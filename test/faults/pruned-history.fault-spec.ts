import { randomUUID } from 'node:crypto';
import type { Failpoint } from '../../apps/api/src/runtime/failpoints';
import { api, type Api, type Body } from '../support/api';
import { ChainProxy } from '../support/chain-proxy';
import { eventually } from '../support/eventually';
import { startApart } from '../support/operators';
import { PrunedHistory } from '../support/pruned-history';
import { PurseStage } from '../support/purses';
import { RogueProvider } from '../support/rogue-provider';
import { startService, type Service } from '../support/service';
import { anAccount, bodyOf, chainBalance, everyRow, order, rpc, type TestAccount } from '../support/world';

jest.setTimeout(300_000);

const PRICE = 10_000n;
/** Longer than a blockhash is valid. */
const EXPIRY_SLOTS = 200;
const FOUND = { timeoutMs: 60_000 };

/** Has the chain and the database server; `service` pays on it, through a proxy that prunes the history. */
let ground: Service;
let service: Service;
let proxy: ChainProxy;
let by: Api;
let payee: TestAccount;
let provider: RogueProvider;
let stage: PurseStage;
beforeAll(async () => {
  ground = await startService();
  proxy = await ChainProxy.start(ground.sandbox);
  service = await startApart(ground, {
    SOLANA_RPC_URL: proxy.url,
    SOLANA_WS_URL: proxy.webSocketUrl,
    ALLOW_PRIVATE_URLS: 'true',
    LEASE_MS: '1000',
    SETTLEMENT_WAIT_MS: '3000',
  });
  by = api(service.baseUrl, service.operatorKey);
  payee = await anAccount({ by });
  provider = new RogueProvider(payee.address, () => ground.sandbox);
  provider.price = PRICE;
  await provider.start();
  stage = await PurseStage.on(service);
});
beforeEach(() =>
  provider.behave({ unpaid: provider.asks(() => provider.session({ methodDetails: { channelProgram: ground.sandbox.program_id } })) }),
);
afterEach(() => proxy.up());
afterAll(async () => {
  provider.stop();
  await stage.stop();
  await proxy.down();
  await ground.stop();
});

const chainUrl = (): string => ground.sandbox.rpc_url;
const balance = ({ tokenAccount }: TestAccount): Promise<bigint> => chainBalance(tokenAccount, chainUrl());
/** Kills the service at a point of a request, and starts it on nodes that have nothing of it any more. */
async function prunedAfter(point: Failpoint, request: () => Promise<unknown>): Promise<void> {
  await service.restart({ signal: 'SIGKILL', variables: { CRASH_AT: point } });
  by = api(service.baseUrl, service.operatorKey);
  await expect(request()).rejects.toThrow();
  await prune();
  await service.restart({ signal: 'SIGKILL' });
  by = api(service.baseUrl, service.operatorKey);
}
async function prune(): Promise<void> {
  const slot = Number(await rpc('getSlot', [{ commitment: 'confirmed' }], chainUrl()));
  await rpc('sandbox_advanceSlots', [{ slots: EXPIRY_SLOTS }], chainUrl());
  proxy.history = new PrunedHistory(slot);
}
/** The records of an account but its first deposit, newest first. */
const records = async ({ id }: TestAccount): Promise<Body[]> =>
  (await everyRow(`/v1/accounts/${id}/transactions`, by)).filter(({ type }) => type !== 'deposit');
/** An account whose deposit is recorded: one that no node shows any more would look like money that arrived in place of what left. */
async function fundedAccount(): Promise<TestAccount> {
  const account = await anAccount({ usdc: '5', by });
  await eventually(async () => expect(await everyRow(`/v1/accounts/${account.id}/transactions`, by)).toMatchObject([{ type: 'deposit' }]));
  return account;
}
/** Records, held amount and chain agree. */
async function isExact({ id }: TestAccount): Promise<void> {
  bodyOf(await by.get(`/v1/accounts/${id}/statement`), 200);
}
const session = ({ id }: TestAccount): Body => ({
  account_id: id,
  provider: provider.url,
  payee: payee.address,
  cap: '0.5',
  idempotency_key: randomUUID(),
});
const pay = async ({ id }: TestAccount, more: Body): Promise<Body> =>
  bodyOf(
    await by.post('/v1/payments', {
      account_id: id,
      idempotency_key: randomUUID(),
      max_amount: '0.01',
      request: { method: 'GET', url: provider.url },
      ...more,
    }),
    200,
  );

test('a transfer whose transaction no node has any more settles by the nonce and the balance, once', async () => {
  const account = await fundedAccount();
  const request = order(account, payee, '2');
  await prunedAfter('transfer.landed', () => by.post('/v1/transfers', request));
  await eventually(async () => expect(bodyOf(await by.post('/v1/transfers', request), 200).status).toBe('settled'), FOUND);
  expect(await balance(account)).toBe(3_000_000n);
  expect(await records(account)).toMatchObject([{ type: 'transfer', amount_usdc: '2.000000', tx_signature: expect.any(String) }]);
  await isExact(account);
});

test('a session whose end no node has any more is settled with the amount that the balance shows', async () => {
  const account = await fundedAccount();
  const { session_id } = bodyOf(await by.post('/v1/sessions', session(account)), 201);
  for (let count = 0; count < 2; count++) await pay(account, { session_id });
  await prunedAfter('session.closed', () => by.post(`/v1/sessions/${session_id}/close`));
  await eventually(
    async () =>
      expect(bodyOf(await by.get(`/v1/sessions/${session_id}`), 200)).toMatchObject({
        status: 'settled',
        settled_usdc: '0.020000',
        returned_usdc: '0.480000',
      }),
    FOUND,
  );
  expect(await balance(account)).toBe(4_980_000n);
  expect(await records(account)).toMatchObject([{ type: 'session_settlement', amount_usdc: '0.020000', tx_signature: null }]);
  await isExact(account);
});

test('the opening of a session that no node has any more is found by the account of the session, and its payments go on', async () => {
  const account = await fundedAccount();
  const request = session(account);
  await prunedAfter('transfer.landed', () => by.post('/v1/sessions', request));
  const { session_id } = await eventually(async () => bodyOf(await by.post('/v1/sessions', request), 201), FOUND);
  await pay(account, { session_id });
  expect(bodyOf(await by.post(`/v1/sessions/${session_id}/close`), 200)).toMatchObject({ settled_usdc: '0.010000' });
  await isExact(account);
});

test('a top-up that no node has any more is found by the cap of its session', async () => {
  const account = await fundedAccount();
  const { session_id } = bodyOf(await by.post('/v1/sessions', session(account)), 201);
  const request = { amount: '0.25', idempotency_key: randomUUID() };
  await prunedAfter('transfer.landed', () => by.post(`/v1/sessions/${session_id}/top_up`, request));
  await eventually(async () => expect((await by.get(`/v1/sessions/${session_id}`)).body.cap_usdc).toBe('0.750000'), FOUND);
  expect(bodyOf(await by.post(`/v1/sessions/${session_id}/close`), 200)).toMatchObject({ returned_usdc: '0.750000' });
  await isExact(account);
});

test('a purse whose end no node has any more is closed with the amount that the balance shows', async () => {
  const account = await fundedAccount();
  const { purse_id } = bodyOf(await by.post('/v1/purses', stage.request(account, '0.1')), 201);
  for (let count = 0; count < 2; count++) bodyOf(await stage.pay(account, { purse_id }, by), 200);
  await prunedAfter('purse.finished', () => by.post(`/v1/purses/${purse_id}/close`));
  await eventually(
    async () =>
      expect(bodyOf(await by.get(`/v1/purses/${purse_id}`), 200)).toMatchObject({
        status: 'closed',
        spent_usdc: '0.020000',
        returned_usdc: '0.080000',
      }),
    FOUND,
  );
  expect(await records(account)).toMatchObject(Array(2).fill({ type: 'transfer', amount_usdc: '0.010000' }));
  await isExact(account);
});

test('a payment out of a purse that no node has any more is paid once the purse has ended', async () => {
  const account = await fundedAccount();
  const { purse_id } = bodyOf(await by.post('/v1/purses', stage.request(account, '0.1')), 201);
  const request = stage.order(account, { purse_id });
  await prunedAfter('payment.answered', () => by.post('/v1/payments', request));
  await eventually(
    async () => expect((await by.post(`/v1/purses/${purse_id}/close`)).body).toMatchObject({ status: 'closed', spent_usdc: '0.010000' }),
    FOUND,
  );
  expect(bodyOf(await by.post('/v1/payments', request), 200)).toMatchObject({ status: 'paid_unreceipted', amount_usdc: '0.010000' });
  expect(await records(account)).toMatchObject([{ type: 'transfer', amount_usdc: '0.010000', tx_signature: null }]);
  await isExact(account);
});

test('a charge whose payment and end no node has any more is paid with the amount that the balance shows', async () => {
  const account = await fundedAccount();
  provider.behave({
    unpaid: provider.asks(() => provider.charge()),
    paid: (response, paid) =>
      void rpc('sendTransaction', [paid.transaction, { encoding: 'base64' }], chainUrl()).then(() => provider.serve(response, paid)),
  });
  const request = {
    account_id: account.id,
    idempotency_key: randomUUID(),
    max_amount: '0.01',
    request: { method: 'GET', url: provider.url },
  };
  await prunedAfter('charge.finished', () => by.post('/v1/payments', request));
  await eventually(
    async () =>
      expect((await by.post('/v1/payments', request)).body).toMatchObject({ status: 'paid_unreceipted', amount_usdc: '0.010000' }),
    FOUND,
  );
  expect(await balance(account)).toBe(4_990_000n);
  expect(await records(account)).toMatchObject([{ type: 'transfer', amount_usdc: '0.010000' }]);
  await isExact(account);
});
