import { randomUUID } from 'node:crypto';
import { Connection, PublicKey } from '@solana/web3.js';
import { api, type Api, type Body } from '../support/api';
import { eventually } from '../support/eventually';
import { settingsOf, startBeside } from '../support/operators';
import { createAssociatedTokenAccount, type Wallet } from '../support/wallets';
import { startRogueProvider, type RogueProvider } from '../support/rogue-provider';
import { startService, type Service } from '../support/service';
import { anAccount, chainBalance, bodyOf, type TestAccount } from '../support/world';

jest.setTimeout(90_000);

/** A service with a movable clock, that settles early and closes idle sessions. */
let service: Service;
let by: Api;
let payee: Wallet;
let provider: RogueProvider;
let connection: Connection;
beforeAll(async () => {
  service = await startService({ variables: { SESSION_SETTLE_AFTER_SECONDS: '2', SESSION_IDLE_SECONDS: '6' } });
  by = api(service.baseUrl, service.operatorKey);
  connection = new Connection(service.sandbox.rpc_url, 'confirmed');
  [payee, provider] = await aPayee();
});
afterAll(async () => {
  provider.stop();
  await service.stop();
});

const held = (): Promise<bigint> => chainBalance(payee.tokenAccount, service.sandbox.rpc_url);
const advance = async (advance_seconds: number): Promise<void> => void bodyOf(await by.post('/v1/sandbox/clock', { advance_seconds }), 200);

/** A payee and its API. */
async function aPayee(): Promise<[Wallet, RogueProvider]> {
  const wallet = await createAssociatedTokenAccount(service.sandbox, settingsOf(service).FEE_PAYER_KEY ?? '');
  const selling = await startRogueProvider(wallet.owner);
  selling.price = 10_000n;
  selling.behave({
    unpaid: selling.asks(() =>
      selling.session({ request: { currency: service.sandbox.usdc_mint }, methodDetails: { channelProgram: service.sandbox.program_id } }),
    ),
  });
  return [wallet, selling];
}

async function aSession(
  more: Body = {},
  [wallet, selling] = [payee, provider],
): Promise<{ account: TestAccount; id: string; pay: () => Promise<Body>; show: () => Promise<Body> }> {
  const account = await anAccount({ usdc: '5', by });
  const { session_id: id } = bodyOf(
    await by.post('/v1/sessions', {
      account_id: account.id,
      provider: selling.url,
      payee: wallet.owner,
      cap: '1',
      idempotency_key: randomUUID(),
      ...more,
    }),
    201,
  );
  const pay = async () =>
    (
      await by.post('/v1/payments', {
        account_id: account.id,
        idempotency_key: randomUUID(),
        max_amount: '0.01',
        session_id: id,
        request: { method: 'GET', url: selling.url },
      })
    ).body;
  return { account, id, pay, show: async () => bodyOf(await by.get(`/v1/sessions/${id}`), 200) };
}

test('vouchers are settled in the background, and an idle session is closed automatically', async () => {
  const { pay, show } = await aSession();
  const before = await held();
  expect((await pay()).status).toBe('paid');
  await eventually(async () => expect(await show()).toMatchObject({ status: 'open', settled_usdc: '0.010000' }));
  expect((await held()) - before).toBe(10_000n);
  await eventually(
    async () => expect(await show()).toMatchObject({ status: 'settled', settled_usdc: '0.010000', returned_usdc: '0.990000' }),
    { timeoutMs: 30_000 },
  );
  expect((await held()) - before).toBe(10_000n);
});

test('two processes pay from one session concurrently, by growing vouchers', async () => {
  const beside = await startBeside(service, { variables: { WORKER: 'apart', ALLOW_PRIVATE_URLS: 'true' } });
  const { account, id, show } = await aSession(); // after the start, which may take longer than the idle time-out
  const [other, first] = [api(beside.baseUrl, service.operatorKey), provider.cumulatives.length];
  const order = () => ({
    account_id: account.id,
    idempotency_key: randomUUID(),
    max_amount: '0.01',
    session_id: id,
    request: { method: 'GET', url: provider.url },
  });
  const answers = await Promise.all(Array.from({ length: 40 }, (_, index) => (index % 2 ? by : other).post('/v1/payments', order())));
  await beside.stop();
  expect(answers.map((answer) => bodyOf(answer, 200).status)).toEqual(Array(40).fill('paid'));
  expect(provider.cumulatives.slice(first)).toEqual(Array.from({ length: 40 }, (_, index) => BigInt(index + 1) * 10_000n));
  expect((await show()).running_total_usdc).toBe('0.400000');
});

test('an expired session pays nothing more, and is closed with the highest voucher', async () => {
  const { account, pay, show } = await aSession({ expires_in_seconds: 3_600 });
  await pay();
  await advance(3_601);
  const late = await pay();
  expect([late.error, ['expired', 'closing', 'settled'].includes(late.status)]).toEqual(['conflict', true]);
  await eventually(
    async () => expect(await show()).toMatchObject({ status: 'settled', settled_usdc: '0.010000', returned_usdc: '0.990000' }),
    { timeoutMs: 30_000 },
  );
  expect(await chainBalance(account.tokenAccount, service.sandbox.rpc_url)).toBe(4_990_000n);
});

test('a session closes automatically after its grace period', async () => {
  const { id, pay, show } = await aSession({ grace_seconds: 3_600 });
  await pay();
  expect(bodyOf(await by.post(`/v1/sessions/${id}/close`), 202)).toMatchObject({ status: 'closing' });
  expect((await pay()).error).toBe('conflict');
  await advance(3_601);
  await eventually(
    async () => expect(await show()).toMatchObject({ status: 'settled', settled_usdc: '0.010000', returned_usdc: '0.990000' }),
    { timeoutMs: 30_000 },
  );
});

test('a payee that closed its token account is paid when the session ends, and the service creates the account only then', async () => {
  const [wallet, selling] = await aPayee();
  const { account, pay, show } = await aSession({}, [wallet, selling]);
  const isThere = async () => (await connection.getAccountInfo(new PublicKey(wallet.tokenAccount))) !== null;
  const transactions = async () => (await connection.getSignaturesForAddress(new PublicKey(account.address))).map(({ err }) => err);
  await wallet.close();
  expect((await pay()).status).toBe('paid');
  const before = await transactions();
  await eventually(async () => expect(await show()).toMatchObject({ status: 'open', settled_usdc: '0.010000' }));
  expect([await isThere(), await transactions()]).toEqual([false, [null, ...before]]);
  await eventually(
    async () => expect(await show()).toMatchObject({ status: 'settled', settled_usdc: '0.010000', returned_usdc: '0.990000' }),
    { timeoutMs: 30_000 },
  );
  expect(await chainBalance(wallet.tokenAccount, service.sandbox.rpc_url)).toBe(10_000n);
  expect(await transactions()).toEqual([null, null, ...before]); // one recorded the voucher, one paid it, and no attempt failed
  selling.stop();
});
