import { randomBytes } from 'node:crypto';
import { unpackAccount } from '@solana/spl-token';
import { PublicKey } from '@solana/web3.js';
import { ChainMismatchError, ChainOutcomeUnknownError, ChainRefusedError, ChainUnavailableError, LocalSigner, type Chain } from '../src';
import { Rpc } from '../src/rpc/client';
import { startLocalChain, type LocalChain } from './local-chain';
import { eventually } from '../../../test/support/eventually';
import { DEAD_URL, LyingRpc } from './lying-rpc';
import { anAccount, authority, operator } from './payer';

jest.setTimeout(60_000);

/** For a hang: each call ends within its time-out of one or two seconds. */
const BOUND_MS = 20_000;

let local: LocalChain;
let chain: Chain;
beforeAll(async () => {
  local = await startLocalChain();
  ({ chain } = local);
});
afterAll(() => local.stop());

async function timed<T>(work: Promise<T>): Promise<{ outcome: T | Error; ms: number }> {
  const began = performance.now();
  const outcome = await work.catch((error: Error) => error);
  return { outcome, ms: performance.now() - began };
}

describe('Chain.connect', () => {
  test('Chain.connect rejects a chain without the program', async () => {
    await expect(local.connect({ programId: LocalSigner.generate().signer.address })).rejects.toThrow(ChainMismatchError);
  });

  test('Chain.connect rejects an address that is not a mint', async () => {
    await expect(local.connect({ usdcMint: local.options.feePayer.address })).rejects.toThrow('is no mint of the classic Token program');
  });

  test('Chain.connect rejects a local chain when no mint is configured', async () => {
    await expect(local.connect({ usdcMint: undefined })).rejects.toThrow('USDC_MINT must be set');
  });

  test('Chain.connect to an unreachable chain throws ChainUnavailableError within its time-out', async () => {
    const { outcome, ms } = await timed(local.connect({ rpcUrls: [DEAD_URL] }));
    expect(outcome).toBeInstanceOf(ChainUnavailableError);
    expect(ms).toBeLessThan(BOUND_MS);
  });
});

test.each([
  ['5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d', 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGkZwyTDt1v'],
  ['EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG', '4zMMC9srt5Ri5X14GAgXhaHii3GnPAERYPJgZJDncDU'],
])('on the cluster with genesis hash %s the default USDC mint is %s', async (genesisHash, usdc) => {
  const node = await LyingRpc.start(local.rpcUrl);
  node.lies.set('getGenesisHash', { result: genesisHash });
  await expect(local.connect({ rpcUrls: [node.url], usdcMint: undefined })).rejects.toThrow(`${usdc} (USDC_MINT) is no mint`);
  await node.stop();
});

describe('several RPC nodes', () => {
  test('RPC nodes are tried in turn until one answers', async () => {
    const account = await anAccount(chain, 5n);
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
  ] as const)('reads succeed at the second RPC node when the first answers %j', async (lie) => {
    const account = await anAccount(chain, 7n);
    const node = await LyingRpc.start(local.rpcUrl);
    // Of nodes that have answered nothing yet, the first is asked first.
    const rpc = new Rpc({ urls: [node.url, local.rpcUrl], commitment: 'confirmed', timeoutMs: 1_000 });
    node.lies.set('*', lie);
    const [info] = await rpc.accounts([account.tokenAccount]);
    expect(unpackAccount(new PublicKey(account.tokenAccount), info ?? null).amount).toBe(7n);
    expect(node.seen).toEqual(['getMultipleAccounts']);
    await node.stop();
  });

  test.each([
    'hang',
    'break',
    'garbage',
    { status: 503 },
    { error: { code: -32016, message: 'Minimum context slot has not been reached', data: { contextSlot: 1 } } },
  ] as const)('reads throw ChainUnavailableError within their time-out when all RPC nodes answer %j', async (lie) => {
    const node = await LyingRpc.start(local.rpcUrl);
    const other = await local.connect({ rpcUrls: [node.url], rpcTimeoutMs: 1_000 });
    node.lies.set('*', lie);
    const { outcome, ms } = await timed(other.accounts.balances([local.options.feePayer.address]));
    expect(outcome).toBeInstanceOf(ChainUnavailableError);
    expect(ms).toBeLessThan(BOUND_MS);
    await node.stop();
  });
});

test('a node that answers for another chain after it was unreachable is neither read nor sent to, until it is of the same chain again', async () => {
  const node = await LyingRpc.start(local.rpcUrl);
  const other = await local.connect({ rpcUrls: [node.url], rpcTimeoutMs: 1_000 });
  const { address } = other.accounts.plan(randomBytes(16));
  await other.accounts.find(address);
  node.lies.set('*', 'break');
  await expect(other.accounts.find(address)).rejects.toThrow(ChainUnavailableError);
  node.lies.clear();
  node.lies.set('getGenesisHash', { result: address });
  node.seen.length = 0;
  await expect(other.accounts.find(address)).rejects.toThrow('the node is of another chain');
  const signed = { signature: address, bytes: new Uint8Array(1), lastValidBlockHeight: 0, feeLamports: 5_000n };
  expect(await other.orders.settle(signed, 5_000)).toEqual({ kind: 'not_sent' });
  expect(new Set(node.seen)).toEqual(new Set(['getGenesisHash']));
  node.lies.clear();
  expect(await other.accounts.find(address)).toBeNull();
  await node.stop();
});

describe('accounts', () => {
  test('accounts.create is idempotent', async () => {
    const id = randomBytes(16);
    const keys = { id, operator: operator.address, authority: authority.address };
    await chain.accounts.create(keys);
    await chain.accounts.create(keys);
    expect(await chain.accounts.find(chain.accounts.plan(id).address)).toMatchObject({
      ...chain.accounts.plan(id),
      controller: operator.address,
      authority: authority.address,
      highestSeq: 0n,
    });
  });

  test('accounts.create rejects an account that exists with another authority', async () => {
    const id = randomBytes(16);
    await chain.accounts.create({ id, operator: operator.address, authority: authority.address });
    await expect(
      chain.accounts.create({ id, operator: operator.address, authority: LocalSigner.generate().signer.address }),
    ).rejects.toThrow(ChainRefusedError);
  });

  test('accounts.create without an answer is unknown, and repeated it finds the account', async () => {
    const node = await LyingRpc.start(local.rpcUrl);
    const other = await local.connect({
      rpcUrls: [node.url],
      webSocketUrls: [DEAD_URL.replace('http', 'ws')],
      rpcTimeoutMs: 2_000,
      adminTimeoutMs: 3_000,
    });
    const id = randomBytes(16);
    const keys = { id, operator: operator.address, authority: authority.address };
    node.lies.set('sendTransaction', 'accept-and-hang');
    node.lies.set('getSignatureStatuses', { result: { context: { slot: 1 }, value: [null] } });
    const creation = timed(other.accounts.create(keys));
    expect((await creation).outcome).toBeInstanceOf(ChainOutcomeUnknownError);
    node.lies.clear();
    await other.accounts.create(keys);
    expect(node.seen.filter((method) => method === 'sendTransaction').length).toBeGreaterThan(0);
    await node.stop();
  });

  test('accounts.create that is repeated waits until a confirmed account is finalized, where transactions settle when they are', async () => {
    const node = await LyingRpc.start(local.rpcUrl);
    const id = randomBytes(16);
    const keys = { id, operator: operator.address, authority: authority.address };
    await chain.accounts.create(keys);
    const other = await local.connect({ rpcUrls: [node.url], settlementCommitment: 'finalized' });
    node.lies.set('getMultipleAccounts finalized', { result: { context: { slot: 1 }, value: [null] } });
    let isDone = false;
    const creation = other.accounts.create(keys).then(() => void (isDone = true));
    // Asked twice and still waiting: once at confirmed, then again and again at finalized.
    await eventually(() => expect(node.seen.filter((method) => method === 'getMultipleAccounts').length).toBeGreaterThan(3));
    expect(isDone).toBe(false);
    node.lies.clear();
    await creation;
    expect(node.seen).not.toContain('sendTransaction');
    await node.stop();
  });

  test('accounts.find returns null for an account that was never created', async () => {
    expect(await chain.accounts.find(chain.accounts.plan(randomBytes(16)).address)).toBeNull();
  });
});

test('a submission throws ChainUnavailableError at once when no RPC node can be reached', async () => {
  const account = await anAccount(chain);
  const node = await LyingRpc.start(local.rpcUrl);
  const other = await local.connect({ rpcUrls: [node.url] });
  await other.mint(account.tokenAccount, 1n); // it has a blockhash now
  await node.stop();
  expect(await other.isReachable()).toBe(false);
  const { outcome, ms } = await timed(other.mint(account.tokenAccount, 1n));
  expect(outcome).toBeInstanceOf(ChainUnavailableError);
  expect(ms).toBeLessThan(BOUND_MS);
});

describe('recipients', () => {
  test.each([
    ['a wallet', () => local.options.feePayer.address, 'not a token account'],
    ['an address without an account', () => LocalSigner.generate().signer.address, 'no account at this address'],
    ['the mint', () => chain.identity.usdcMint, 'not a token account'],
  ])('orders.recipient of %s is invalid', async (_what, address, reason) => {
    expect(await chain.orders.recipient(address())).toEqual({ kind: 'invalid', reason: expect.stringContaining(reason) });
  });

  test('orders.recipient of an account’s token account is its owner address', async () => {
    const account = await anAccount(chain);
    expect(await chain.orders.recipient(account.tokenAccount)).toEqual({ kind: 'token_account', owner: account.address });
  });
});

describe('policies', () => {
  test('policies.change keeps fields that are not named and sets lists of any length in one step', async () => {
    const account = await anAccount(chain);
    const counterparties = Array.from({ length: 128 }, () => LocalSigner.generate().signer.address);
    const categories = Array.from({ length: 32 }, (_, index) => `category-${index}`);
    await chain.policies.change(account.address, { maxSingleTransfer: 5n, requireMemo: true }, 1n, operator);
    await chain.policies.change(account.address, { allowedCounterparties: counterparties, categories }, 2n, operator);
    expect(await chain.policies.get(account.address)).toEqual({
      version: 3n,
      maxSingleTransfer: 5n,
      maxDailySpend: null,
      maxMonthlySpend: null,
      maxLifetimeSpend: null,
      maxSessionCap: null,
      escalationThreshold: null,
      approvalAboveDailySum: null,
      validUntil: null,
      allowedCounterparties: expect.arrayContaining(counterparties), // in an order of the chain
      categories,
      requireMemo: true,
      paused: false,
      updatedAt: expect.any(Date),
    });
    await chain.policies.change(account.address, { allowedCounterparties: null, categories: [] }, 3n, operator);
    expect(await chain.policies.get(account.address)).toMatchObject({ allowedCounterparties: null, categories: [], maxSingleTransfer: 5n });
  });

  test('policies.change with another version changes nothing, also with long lists', async () => {
    const account = await anAccount(chain);
    const counterparties = Array.from({ length: 50 }, () => LocalSigner.generate().signer.address);
    expect(await chain.policies.change(account.address, { requireMemo: true }, 7n, operator)).toEqual({ kind: 'version_mismatch' });
    expect(await chain.policies.change(account.address, { allowedCounterparties: counterparties }, 7n, operator)).toEqual({
      kind: 'version_mismatch',
    });
    expect((await chain.policies.get(account.address)).version).toBe(1n);
  });

  test('policies.change pauses with any version', async () => {
    const account = await anAccount(chain);
    expect(await chain.policies.change(account.address, { paused: true }, 99n, operator)).toMatchObject({ kind: 'changed' });
    expect(await chain.policies.get(account.address)).toMatchObject({ paused: true, version: 2n });
  });

  test('policies.change by a key that is not the operator is a version mismatch', async () => {
    const account = await anAccount(chain);
    expect(await chain.policies.change(account.address, { paused: true }, 1n, authority)).toEqual({ kind: 'version_mismatch' });
    expect(await chain.policies.get(account.address)).toMatchObject({ paused: false, version: 1n });
  });
});
