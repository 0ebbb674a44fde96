import { randomBytes } from 'node:crypto';
import {
  ChainMismatchError,
  ChainOutcomeUnknownError,
  ChainRefusedError,
  ChainUnavailableError,
  LocalSigner,
  type AccountAddresses,
  type Chain,
  type TransferOrder,
} from '../src';
import { startLocalChain, type LocalChain } from './local-chain';
import { LyingRpc } from './lying-rpc';

jest.setTimeout(60_000);

const DEAD_URL = 'http://127.0.0.1:9';
/** The most that any call may take: what lets the API answer 503 within 5 s. */
const BOUND_MS = 4_000;

let local: LocalChain;
let chain: Chain;
beforeAll(async () => {
  local = await startLocalChain();
  ({ chain } = local);
});
afterAll(() => local.stop());

const operator = LocalSigner.generate().signer;
const authority = LocalSigner.generate().signer;

async function anAccount(microUsdc = 0n): Promise<AccountAddresses> {
  const id = randomBytes(16);
  await chain.accounts.create({ id, operator: operator.address, authority: authority.address });
  const account = chain.accounts.plan(id);
  if (microUsdc > 0n) await chain.mint(account.tokenAccount, microUsdc);
  return account;
}

function anOrder(from: AccountAddresses, to: AccountAddresses, microUsdc: bigint, more: Partial<TransferOrder> = {}): TransferOrder {
  return {
    address: from.address,
    tokenAccount: from.tokenAccount,
    destination: to.tokenAccount,
    transferId: randomBytes(16),
    microUsdc,
    category: null,
    memoHash: null,
    authority: authority.address,
    approvedBy: null,
    ...more,
  };
}

async function timed<T>(work: Promise<T>): Promise<{ outcome: T | Error; ms: number }> {
  const began = performance.now();
  const outcome = await work.catch((error: Error) => error);
  return { outcome, ms: performance.now() - began };
}

describe('connecting refuses', () => {
  test('a chain without the program', async () => {
    await expect(local.connect({ programId: LocalSigner.generate().signer.address })).rejects.toThrow(ChainMismatchError);
  });

  test('a mint that is none', async () => {
    await expect(local.connect({ usdcMint: local.options.feePayer.address })).rejects.toThrow('is no mint of the classic Token program');
  });

  test('a local chain for which nobody names a mint', async () => {
    await expect(local.connect({ usdcMint: undefined })).rejects.toThrow('USDC_MINT must be set');
  });

  test('a chain that is away, in time', async () => {
    const { outcome, ms } = await timed(local.connect({ rpcUrls: [DEAD_URL] }));
    expect(outcome).toBeInstanceOf(ChainUnavailableError);
    expect(ms).toBeLessThan(BOUND_MS);
  });
});

test.each([
  ['5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d', 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGkZwyTDt1v'],
  ['EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxkABwMx', '4zMMC9srt5Ri5X14GAgXhaHii3GnPAERYPJgZJDncDU'],
])('on the cluster with genesis hash %s USDC is %s', async (genesisHash, usdc) => {
  const node = await LyingRpc.start(local.rpcUrl);
  node.lies.set('getGenesisHash', { result: genesisHash });
  await expect(local.connect({ rpcUrls: [node.url], usdcMint: undefined })).rejects.toThrow(`${usdc} (USDC_MINT) is no mint`);
  await node.stop();
});

describe('several nodes', () => {
  test('are tried in turn until one answers', async () => {
    const account = await anAccount(5n);
    const other = await local.connect({ rpcUrls: [DEAD_URL, local.rpcUrl] });
    expect(await other.accounts.balances([account.tokenAccount])).toEqual([5n]);
  });

  test.each([
    'hang',
    'break',
    'garbage',
    { status: 500 },
    { status: 429 },
    { error: { code: -32005, message: 'Node is behind' } },
    { result: 'nonsense' },
  ] as const)('of which the first answers %j are as good as the second alone', async (lie) => {
    const account = await anAccount(7n);
    const node = await LyingRpc.start(local.rpcUrl);
    node.lies.set('*', lie);
    const other = await local.connect({ rpcUrls: [node.url, local.rpcUrl], rpcTimeoutMs: 1_000 });
    expect(await other.accounts.balances([account.tokenAccount])).toEqual([7n]);
    expect(node.seen).toContain('getMultipleAccounts');
    await node.stop();
  });

  test.each([
    'hang',
    'break',
    'garbage',
    { status: 503 },
    { error: { code: -32016, message: 'Minimum context slot has not been reached', data: { contextSlot: 1 } } },
  ] as const)('that all answer %j are unavailable, in time', async (lie) => {
    const node = await LyingRpc.start(local.rpcUrl);
    const other = await local.connect({ rpcUrls: [node.url], rpcTimeoutMs: 1_000 });
    node.lies.set('*', lie);
    const { outcome, ms } = await timed(other.accounts.balances([local.options.feePayer.address]));
    expect(outcome).toBeInstanceOf(ChainUnavailableError);
    expect(ms).toBeLessThan(BOUND_MS);
    await node.stop();
  });
});

describe('an account', () => {
  test('is created once, however often it is asked for', async () => {
    const id = randomBytes(16);
    const keys = { id, operator: operator.address, authority: authority.address };
    await chain.accounts.create(keys);
    await chain.accounts.create(keys);
    expect(await chain.accounts.find(chain.accounts.plan(id).address)).toMatchObject({
      ...chain.accounts.plan(id),
      operator: operator.address,
      authority: authority.address,
      highestSeq: 0n,
    });
  });

  test('that exists with other keys is not taken for ours', async () => {
    const id = randomBytes(16);
    await chain.accounts.create({ id, operator: operator.address, authority: authority.address });
    await expect(
      chain.accounts.create({ id, operator: operator.address, authority: LocalSigner.generate().signer.address }),
    ).rejects.toThrow(ChainRefusedError);
  });

  test('whose creation nobody answered is unknown, and found when it is asked for again', async () => {
    const node = await LyingRpc.start(local.rpcUrl);
    const other = await local.connect({
      rpcUrls: [node.url],
      webSocketUrl: DEAD_URL.replace('http', 'ws'),
      rpcTimeoutMs: 300,
      adminTimeoutMs: 1_000,
    });
    const id = randomBytes(16);
    const keys = { id, operator: operator.address, authority: authority.address };
    node.lies.set('sendTransaction', 'accept-and-hang');
    node.lies.set('getSignatureStatuses', { result: { context: { slot: 1 }, value: [null] } });
    const asked = timed(other.accounts.create(keys));
    expect((await asked).outcome).toBeInstanceOf(ChainOutcomeUnknownError);
    node.lies.clear();
    await other.accounts.create(keys);
    expect(node.seen.filter((method) => method === 'sendTransaction').length).toBeGreaterThan(0);
    await node.stop();
  });

  test('that was never created is null', async () => {
    expect(await chain.accounts.find(chain.accounts.plan(randomBytes(16)).address)).toBeNull();
  });
});

test('what is to be sent while no node can be reached is unavailable at once', async () => {
  const account = await anAccount();
  const node = await LyingRpc.start(local.rpcUrl);
  const other = await local.connect({ rpcUrls: [node.url] });
  await other.mint(account.tokenAccount, 1n); // it has a blockhash now
  await node.stop();
  expect(await other.isReachable()).toBe(false);
  const { outcome, ms } = await timed(other.mint(account.tokenAccount, 1n));
  expect(outcome).toBeInstanceOf(ChainUnavailableError);
  expect(ms).toBeLessThan(BOUND_MS);
});

describe('a recipient', () => {
  test.each([
    ['a wallet', () => local.options.feePayer.address, 'not a token account'],
    ['an address where nothing is', () => LocalSigner.generate().signer.address, 'no account at this address'],
    ['the mint', () => chain.identity.usdcMint, 'not a token account'],
  ])('that is %s is invalid', async (_what, address, reason) => {
    expect(await chain.orders.recipient(address())).toEqual({ kind: 'invalid', reason: expect.stringContaining(reason) });
  });

  test('that is an account of ours is a token account of its address', async () => {
    const account = await anAccount();
    expect(await chain.orders.recipient(account.tokenAccount)).toEqual({ kind: 'token_account', owner: account.address });
  });
});

describe('a transfer', () => {
  test('is judged without being sent, with the numbers of the rule', async () => {
    const [payer, payee] = [await anAccount(100n), await anAccount()];
    await chain.policies.change(payer.address, { maxDailySpend: 50n }, 1n, operator);
    expect(await chain.orders.simulateTransfer(anOrder(payer, payee, 50n), 1n, 0)).toEqual({ kind: 'allowed' });
    expect(await chain.orders.simulateTransfer(anOrder(payer, payee, 51n), 1n, 0)).toEqual({
      kind: 'violation',
      violation: {
        rule: 'max_daily_spend',
        limit: 50n,
        attempted: 51n,
        remaining: 50n,
        reserved: 0n,
        availableAt: undefined,
        policyVersion: 2n,
      },
    });
    expect(await chain.accounts.balances([payer.tokenAccount])).toEqual([100n]);
  });

  test('is not judged by a node that is behind', async () => {
    const [payer, payee] = [await anAccount(1n), await anAccount()];
    await expect(chain.orders.simulateTransfer(anOrder(payer, payee, 1n), 1n, 1_000_000_000)).rejects.toThrow(ChainUnavailableError);
  });

  test('lands once, and its bytes sent again change nothing', async () => {
    const [payer, payee] = [await anAccount(100n), await anAccount()];
    const signed = await chain.orders.signTransfer(anOrder(payer, payee, 30n), 1n, [authority]);
    const landed = { kind: 'landed', slot: expect.any(Number) };
    expect(await Promise.all([chain.orders.settle(signed, 10_000), chain.orders.settle(signed, 10_000)])).toEqual([landed, landed]);
    expect(await chain.orders.settle(signed, 10_000)).toEqual(landed);
    expect(await chain.orders.lookUp(signed)).toEqual({ kind: 'landed', slot: expect.any(Number) });
    expect(await chain.accounts.balances([payer.tokenAccount, payee.tokenAccount])).toEqual([70n, 30n]);
  });

  test('with a number that was spent is refused on chain, and the one that spent it is found by its event', async () => {
    const [payer, payee] = [await anAccount(100n), await anAccount()];
    const first = anOrder(payer, payee, 30n);
    const landed = await chain.orders.signTransfer(first, 1n, [authority]);
    await chain.orders.settle(landed, 10_000);
    const outcome = await chain.orders.settle(await chain.orders.signTransfer(anOrder(payer, payee, 20n), 1n, [authority]), 10_000);
    expect(outcome).toMatchObject({ kind: 'failed', failure: { reason: 'already_executed' } });
    expect(await chain.history.findOrder(payer.address, 1n)).toMatchObject({
      kind: 'transfer',
      signature: landed.signature,
      slot: expect.any(Number),
      id: first.transferId,
      microUsdc: 30n,
      destination: payee.tokenAccount,
    });
    expect(await chain.history.findOrder(payer.address, 2n)).toBeNull();
    expect((await chain.accounts.find(payer.address))?.isNonceUsed(1n)).toBe(true);
    expect((await chain.accounts.find(payer.address))?.isNonceUsed(2n)).toBe(false);
  });

  test('that breaks a rule by the time it lands fails on chain with that rule', async () => {
    const [payer, payee] = [await anAccount(100n), await anAccount()];
    const signed = await chain.orders.signTransfer(anOrder(payer, payee, 30n), 1n, [authority]);
    await chain.policies.change(payer.address, { maxSingleTransfer: 29n }, 1n, operator);
    expect(await chain.orders.settle(signed, 10_000)).toMatchObject({
      kind: 'violation',
      violation: { rule: 'max_single_transfer', limit: 29n, attempted: 30n },
    });
  });

  test('settles although nobody answered its sending and no notification came', async () => {
    const [payer, payee] = [await anAccount(100n), await anAccount()];
    const node = await LyingRpc.start(local.rpcUrl);
    const other = await local.connect({ rpcUrls: [node.url], webSocketUrl: DEAD_URL.replace('http', 'ws'), rpcTimeoutMs: 500 });
    node.lies.set('sendTransaction', 'accept-and-hang');
    const signed = await other.orders.signTransfer(anOrder(payer, payee, 30n), 1n, [authority]);
    expect(await other.orders.settle(signed, 10_000)).toMatchObject({ kind: 'landed' });
    await node.stop();
  });

  test('is unknown, and not failed, when the nodes say nothing of it in time', async () => {
    const [payer, payee] = [await anAccount(100n), await anAccount()];
    const node = await LyingRpc.start(local.rpcUrl);
    const other = await local.connect({ rpcUrls: [node.url], webSocketUrl: DEAD_URL.replace('http', 'ws') });
    const signed = await other.orders.signTransfer(anOrder(payer, payee, 30n), 1n, [authority]);
    node.lies.set('sendTransaction', 'break');
    expect(await other.orders.settle(signed, 1_000)).toEqual({ kind: 'unknown' });
    expect(await chain.orders.lookUp(signed)).toEqual({ kind: 'unknown' });
    await node.stop();
  });

  test('is expired once its blockhash is, and not before', async () => {
    const [payer, payee] = [await anAccount(100n), await anAccount()];
    const signed = await chain.orders.signTransfer(anOrder(payer, payee, 30n), 1n, [authority]);
    await advanceSlots(100);
    expect(await chain.orders.lookUp(signed)).toEqual({ kind: 'unknown' });
    await advanceSlots(100); // past its 150 slots, and past the 32 after which a height is final
    expect(await chain.orders.lookUp(signed)).toEqual({ kind: 'expired' });
    expect(await chain.orders.settle(signed, 10_000)).toEqual({ kind: 'expired' });
  });
});

describe('a policy', () => {
  test('keeps what a change does not name, and takes lists of any length in one step', async () => {
    const account = await anAccount();
    const counterparties = Array.from({ length: 128 }, () => LocalSigner.generate().signer.address);
    const categories = Array.from({ length: 32 }, (_, index) => `category-${index}`);
    await chain.policies.change(account.address, { maxSingleTransfer: 5n, requireMemo: true }, 1n, operator);
    await chain.policies.change(account.address, { allowedCounterparties: counterparties, categories }, 2n, operator);
    expect(await chain.policies.get(account.address)).toEqual({
      version: 3n,
      maxSingleTransfer: 5n,
      maxDailySpend: null,
      maxSessionCap: null,
      escalationThreshold: null,
      allowedCounterparties: counterparties,
      categories,
      requireMemo: true,
      paused: false,
      updatedAt: expect.any(Date),
    });
    await chain.policies.change(account.address, { allowedCounterparties: null, categories: [] }, 3n, operator);
    expect(await chain.policies.get(account.address)).toMatchObject({ allowedCounterparties: null, categories: [], maxSingleTransfer: 5n });
  });

  test('of another version is left alone, also by long lists', async () => {
    const account = await anAccount();
    const counterparties = Array.from({ length: 50 }, () => LocalSigner.generate().signer.address);
    expect(await chain.policies.change(account.address, { requireMemo: true }, 7n, operator)).toEqual({ kind: 'version_mismatch' });
    expect(await chain.policies.change(account.address, { allowedCounterparties: counterparties }, 7n, operator)).toEqual({
      kind: 'version_mismatch',
    });
    expect((await chain.policies.get(account.address)).version).toBe(1n);
  });

  test('is paused whatever its version', async () => {
    const account = await anAccount();
    expect(await chain.policies.change(account.address, { paused: true }, 99n, operator)).toMatchObject({ kind: 'changed' });
    expect(await chain.policies.get(account.address)).toMatchObject({ paused: true, version: 2n });
  });

  test('is nobody else’s to change', async () => {
    const account = await anAccount();
    expect(await chain.policies.change(account.address, { paused: true }, 1n, authority)).toEqual({ kind: 'version_mismatch' });
    expect(await chain.policies.get(account.address)).toMatchObject({ paused: false, version: 1n });
  });
});

/** The embedded chain's own method: as if so many slots had passed. */
async function advanceSlots(slots: number): Promise<void> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'sandbox_advanceSlots', params: [{ slots }] });
  await fetch(local.rpcUrl, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
}
