import { randomUUID } from 'node:crypto';
import type { Failpoint } from '../../apps/api/src/runtime/failpoints';
import type { Body } from '../support/api';
import { eventually } from '../support/eventually';
import { ProxiedPayments } from '../support/proxied-service';
import { PrunedHistory } from '../support/pruned-history';
import { PurseStage } from '../support/purses';
import { anAccount, bodyOf, everyRow, order, rpc, entriesOf, type TestAccount } from '../support/world';

jest.setTimeout(300_000);

const PRICE = 10_000n;
const FOUND = { timeoutMs: 60_000 };

let ground: ProxiedPayments;
let stage: PurseStage;
beforeAll(async () => {
  ground = await ProxiedPayments.start(PRICE);
  stage = await PurseStage.on(ground.service);
});
beforeEach(() =>
  ground.provider.behave({
    unpaid: ground.provider.asks(() => ground.provider.session({ methodDetails: { channelProgram: ground.programId } })),
  }),
);
afterEach(() => ground.proxy.up());
afterAll(async () => {
  await stage.stop();
  await ground.stop();
});

/** Kills the service at a point of a request, and starts it on nodes that have nothing of it any more. */
async function prunedAfter(point: Failpoint, request: () => Promise<unknown>): Promise<void> {
  await ground.service.restart({ signal: 'SIGKILL', variables: { CRASH_AT: point } });
  await expect(request()).rejects.toThrow();
  await prune();
  await ground.service.restart({ signal: 'SIGKILL' });
}
async function prune(): Promise<void> {
  const slot = Number(await rpc('getSlot', [{ commitment: 'confirmed' }], ground.chainUrl));
  await ground.expireTransactions();
  ground.proxy.history = new PrunedHistory(slot);
}
/** An account whose deposit is recorded: one that no node shows any more would look like money that arrived in place of what left. */
async function fundedAccount(): Promise<TestAccount> {
  const account = await anAccount({ usdc: '5', by: ground.by });
  await eventually(async () =>
    expect(await everyRow(`/v1/accounts/${account.id}/transactions`, ground.by)).toMatchObject([{ type: 'deposit' }]),
  );
  return account;
}
/** Records, held amount and chain agree. */
async function isExact({ id }: TestAccount): Promise<void> {
  bodyOf(await ground.by.get(`/v1/accounts/${id}/statement`), 200);
}
const pay = async (account: TestAccount, more: Body): Promise<Body> =>
  bodyOf(await ground.by.post('/v1/payments', ground.order(account, more)), 200);

test('a transfer whose transaction no node has any more settles by the nonce and the balance, once', async () => {
  const account = await fundedAccount();
  const request = order(account, ground.payee, '2');
  await prunedAfter('transfer.landed', () => ground.by.post('/v1/transfers', request));
  await eventually(async () => expect(bodyOf(await ground.by.post('/v1/transfers', request), 200).status).toBe('settled'), FOUND);
  expect(await ground.balance(account)).toBe(3_000_000n);
  expect(await entriesOf(account, ground.by)).toMatchObject([
    { type: 'transfer', amount_usdc: '2.000000', tx_signature: expect.any(String) },
  ]);
  await isExact(account);
});

test('a session whose end no node has any more is settled with the amount that the balance shows', async () => {
  const account = await fundedAccount();
  const { session_id } = bodyOf(await ground.by.post('/v1/sessions', ground.session(account)), 201);
  for (let count = 0; count < 2; count++) await pay(account, { session_id });
  await prunedAfter('session.closed', () => ground.by.post(`/v1/sessions/${session_id}/close`));
  await eventually(
    async () =>
      expect(bodyOf(await ground.by.get(`/v1/sessions/${session_id}`), 200)).toMatchObject({
        status: 'settled',
        settled_usdc: '0.020000',
        returned_usdc: '0.480000',
      }),
    FOUND,
  );
  expect(await ground.balance(account)).toBe(4_980_000n);
  expect(await entriesOf(account, ground.by)).toMatchObject([{ type: 'session_settlement', amount_usdc: '0.020000', tx_signature: null }]);
  await isExact(account);
});

test('the opening of a session that no node has any more is found by the account of the session, and its payments go on', async () => {
  const account = await fundedAccount();
  const request = ground.session(account);
  await prunedAfter('transfer.landed', () => ground.by.post('/v1/sessions', request));
  const { session_id } = await eventually(async () => bodyOf(await ground.by.post('/v1/sessions', request), 201), FOUND);
  await pay(account, { session_id });
  expect(bodyOf(await ground.by.post(`/v1/sessions/${session_id}/close`), 200)).toMatchObject({ settled_usdc: '0.010000' });
  await isExact(account);
});

test('a top-up that no node has any more is found by the cap of its session', async () => {
  const account = await fundedAccount();
  const { session_id } = bodyOf(await ground.by.post('/v1/sessions', ground.session(account)), 201);
  const request = { amount: '0.25', idempotency_key: randomUUID() };
  await prunedAfter('transfer.landed', () => ground.by.post(`/v1/sessions/${session_id}/top_up`, request));
  await eventually(async () => expect((await ground.by.get(`/v1/sessions/${session_id}`)).body.cap_usdc).toBe('0.750000'), FOUND);
  expect(bodyOf(await ground.by.post(`/v1/sessions/${session_id}/close`), 200)).toMatchObject({ returned_usdc: '0.750000' });
  await isExact(account);
});

test('a purse whose end no node has any more is closed with the amount that the balance shows', async () => {
  const account = await fundedAccount();
  const { purse_id } = bodyOf(await ground.by.post('/v1/purses', stage.request(account, '0.1')), 201);
  for (let count = 0; count < 2; count++) bodyOf(await stage.pay(account, { purse_id }, ground.by), 200);
  await prunedAfter('purse.finished', () => ground.by.post(`/v1/purses/${purse_id}/close`));
  await eventually(
    async () =>
      expect(bodyOf(await ground.by.get(`/v1/purses/${purse_id}`), 200)).toMatchObject({
        status: 'closed',
        spent_usdc: '0.020000',
        returned_usdc: '0.080000',
      }),
    FOUND,
  );
  expect(await entriesOf(account, ground.by)).toMatchObject(Array(2).fill({ type: 'transfer', amount_usdc: '0.010000' }));
  await isExact(account);
});

test('a payment out of a purse that no node has any more is paid once the purse has ended', async () => {
  const account = await fundedAccount();
  const { purse_id } = bodyOf(await ground.by.post('/v1/purses', stage.request(account, '0.1')), 201);
  const request = stage.order(account, { purse_id });
  await prunedAfter('payment.answered', () => ground.by.post('/v1/payments', request));
  await eventually(
    async () =>
      expect((await ground.by.post(`/v1/purses/${purse_id}/close`)).body).toMatchObject({ status: 'closed', spent_usdc: '0.010000' }),
    FOUND,
  );
  expect(bodyOf(await ground.by.post('/v1/payments', request), 200)).toMatchObject({ status: 'paid_unreceipted', amount_usdc: '0.010000' });
  expect(await entriesOf(account, ground.by)).toMatchObject([{ type: 'transfer', amount_usdc: '0.010000', tx_signature: null }]);
  await isExact(account);
});

test('a charge whose payment and end no node has any more is paid with the amount that the balance shows', async () => {
  const account = await fundedAccount();
  ground.provider.behave({
    unpaid: ground.provider.asks(() => ground.provider.charge()),
    paid: (response, paid) =>
      void rpc('sendTransaction', [paid.transaction, { encoding: 'base64' }], ground.chainUrl).then(() =>
        ground.provider.serve(response, paid),
      ),
  });
  const request = ground.order(account);
  await prunedAfter('charge.finished', () => ground.by.post('/v1/payments', request));
  await eventually(
    async () =>
      expect((await ground.by.post('/v1/payments', request)).body).toMatchObject({ status: 'paid_unreceipted', amount_usdc: '0.010000' }),
    FOUND,
  );
  expect(await ground.balance(account)).toBe(4_990_000n);
  expect(await entriesOf(account, ground.by)).toMatchObject([{ type: 'transfer', amount_usdc: '0.010000' }]);
  await isExact(account);
});
