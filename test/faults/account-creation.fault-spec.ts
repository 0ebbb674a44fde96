import { randomUUID } from 'node:crypto';
import { Keypair } from '@solana/web3.js';
import { api, type Api, type Body } from '../support/api';
import { eventually } from '../support/eventually';
import { ProcessGroup } from '../support/process-group';
import { bodyOf, fund, order, query, rpc } from '../support/world';

jest.setTimeout(300_000);

let group: ProcessGroup;
beforeEach(async () => void (group = await ProcessGroup.create()));
afterEach(() => group.stop());

/** A process on the database, with defaults for every lease. */
async function start(variables: Record<string, string> = {}): Promise<{ by: Api; pid: number }> {
  const service = await group.start(variables);
  return { by: api(service.baseUrl, group.operatorKey), pid: service.pid };
}

/** The secret of a fee payer with SOL, other than the shared service's. */
async function anotherFeePayer(): Promise<string> {
  const { publicKey, secretKey } = Keypair.generate();
  await rpc('requestAirdrop', [publicKey.toBase58(), 10_000_000_000]);
  return JSON.stringify([...secretKey]);
}

/** Begins a creation in a process that dies at a failpoint. Returns what repeats it. */
async function interrupted(at: 'account.inserted' | 'account.created'): Promise<(by: Api) => Promise<Body>> {
  const headers = { 'Idempotency-Key': randomUUID() };
  const dying = await start({ CRASH_AT: at });
  await dying.by.post('/v1/accounts', { name: 'agent' }, headers).catch(() => undefined);
  await eventually(() => expect(() => process.kill(dying.pid, 0)).toThrow());
  return async (by) => bodyOf(await by.post('/v1/accounts', { name: 'agent' }, headers), 201);
}

/** Money arrives at an account and leaves it. */
async function expectUsable(account: Body, by: Api): Promise<void> {
  const payee = bodyOf(await by.post('/v1/accounts', { name: 'payee' }), 201);
  await fund({ id: account.account_id }, '2', by);
  bodyOf(await by.post('/v1/transfers', order(account.account_id, payee.account_id, '1')), 200);
}

test('a creation that is repeated after a crash is finished within the lease of an order, and not answered 503', async () => {
  const repeat = await interrupted('account.inserted');
  const { by } = await start({ WORKER: 'apart' });
  await expectUsable(await repeat(by), by);
});

test('a creation that was planned with another fee payer and not sent is planned again, and its account is the one on chain', async () => {
  const repeat = await interrupted('account.inserted');
  const [planned] = await query('SELECT chain_address FROM accounts', [], group.databaseUrl);
  const { by } = await start({ FEE_PAYER_KEY: await anotherFeePayer() });
  const account = await repeat(by);
  expect(account.chain_address).not.toBe(planned?.chain_address);
  await expectUsable(account, by);
  expect(await repeat(by)).toMatchObject({ account_id: account.account_id, chain_address: account.chain_address });
});

test('a creation that landed with another fee payer before the crash keeps its address', async () => {
  const repeat = await interrupted('account.created');
  const [planned] = await query('SELECT chain_address FROM accounts', [], group.databaseUrl);
  const { by } = await start({ FEE_PAYER_KEY: await anotherFeePayer() });
  const account = await repeat(by);
  expect(account.chain_address).toBe(planned?.chain_address);
  await expectUsable(account, by);
});

test('accounts that two processes with different fee payers create at once, and those one leaves to the other, are all usable', async () => {
  const repeats = [await interrupted('account.inserted'), await interrupted('account.created')];
  const both = [await start(), await start({ FEE_PAYER_KEY: await anotherFeePayer() })];
  const [one, other] = both.map(({ by }) => by) as [Api, Api];
  const created = await Promise.all([
    ...[one, other, one, other].map(async (by) => bodyOf(await by.post('/v1/accounts', { name: 'agent' }), 201)),
    ...repeats.map((repeat, index) => repeat(index === 0 ? other : one)),
  ]);
  for (const [index, account] of created.entries()) await expectUsable(account, index % 2 === 0 ? other : one);
});

test('an open account that the chain does not show answers one sentence everywhere, and is created again', async () => {
  const quiet = await start({ WORKER: 'apart' });
  const { account_id: id, chain_address: address } = bodyOf(await quiet.by.post('/v1/accounts', { name: 'agent' }), 201);
  const payee = bodyOf(await quiet.by.post('/v1/accounts', { name: 'payee' }), 201);
  await fund({ id }, '2', quiet.by);
  // As after a rollback: the row names an account that is not on the chain.
  const [nowhere, creator] = [Keypair.generate(), Keypair.generate()].map(({ publicKey }) => publicKey.toBase58());
  await query(
    'UPDATE accounts SET chain_address = $2, usdc_token_account = $2, creator = $3 WHERE id = $1',
    [id, nowhere, creator],
    group.databaseUrl,
  );

  const missing = {
    status: 503,
    body: { error: 'chain_unavailable', message: expect.stringContaining('The account is not on the chain at the moment') },
  };
  const transfer = order(id, payee.account_id, '1');
  expect(await quiet.by.post('/v1/transfers', transfer)).toMatchObject(missing);
  expect(await quiet.by.put(`/v1/accounts/${id}/policy`, { max_daily_spend: 1 })).toMatchObject(missing);
  expect(await quiet.by.get(`/v1/accounts/${id}/policy`)).toMatchObject(missing);
  expect(await quiet.by.post('/v1/sandbox/faucet', { account_id: id, amount: '1' })).toMatchObject(missing);

  const { by } = await start();
  await eventually(async () => bodyOf(await by.post('/v1/transfers', transfer), 200), { timeoutMs: 60_000 });
  expect(bodyOf(await by.get(`/v1/accounts/${id}`), 200)).toMatchObject({ chain_address: address, balance_usdc: '1.000000' });
});
