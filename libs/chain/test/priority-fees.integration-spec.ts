/** The service's priority fees: as much as others, more for a pause, and from a key of its own for pauses. */
import { randomBytes } from 'node:crypto';
import { Connection, LAMPORTS_PER_SOL, PublicKey } from '@solana/web3.js';
import { COMPUTE_UNITS, LocalSigner, PROGRAM_ADDRESS, feeLamports, type Chain } from '../src';
import { startLocalChain, type LocalChain } from './local-chain';
import { LyingRpc } from './lying-rpc';
import { anAccount, authority, operator } from './payer';

jest.setTimeout(120_000);

const PAID_BY_OTHERS = 50_000;

describe('priority fees', () => {
  let local: LocalChain;
  let node: LyingRpc;
  let connection: Connection;
  const pauseFeePayer = LocalSigner.generate().signer;

  beforeAll(async () => {
    local = await startLocalChain();
    connection = new Connection(local.rpcUrl, 'confirmed');
    await connection.requestAirdrop(new PublicKey(pauseFeePayer.address), LAMPORTS_PER_SOL);
    node = await LyingRpc.start(local.rpcUrl);
    node.lies.set('getRecentPrioritizationFees', { result: [{ slot: 1, prioritizationFee: PAID_BY_OTHERS }] });
  });
  afterAll(async () => {
    await node.stop();
    await local.stop();
  });

  /** Pauses an account. Returns what the key paid for it, in lamports. */
  const paidForPause = async (chain: Chain, key: string): Promise<number> => {
    const { address } = await anAccount(chain);
    const before = await connection.getBalance(new PublicKey(key));
    await chain.policies.change(address, { paused: true }, 0n, operator);
    return before - (await connection.getBalance(new PublicKey(key)));
  };

  test('a transfer pays for its compute units what others pay', async () => {
    const chain = await local.connect({ rpcUrls: [node.url] });
    const [from, to] = [await anAccount(chain, 10n), await anAccount(chain)];
    const order = {
      ...from,
      transferId: randomBytes(16),
      microUsdc: 1n,
      destination: to.tokenAccount,
      category: null,
      memoHash: null,
      authority: authority.address,
      approvedBy: null,
    };
    const signed = await chain.orders.signTransfer(order, 1n, [authority]);
    const price = BigInt(PAID_BY_OTHERS);
    expect(signed.feeLamports).toBe(feeLamports({ signatures: 2, computeUnits: COMPUTE_UNITS.transfer, microLamportsPerUnit: price }));
    expect(await chain.orders.settle(signed, 10_000)).toMatchObject({ kind: 'landed' });
  });

  test('a pause pays ten times as much', async () => {
    const chain = await local.connect({ rpcUrls: [node.url] });
    const least = feeLamports({ signatures: 2, computeUnits: COMPUTE_UNITS.setPolicy, microLamportsPerUnit: 10n * BigInt(PAID_BY_OTHERS) });
    expect(await paidForPause(chain, local.options.feePayer.address)).toBeGreaterThanOrEqual(Number(least));
  });

  test('a pause is paid for by its own key, where there is one', async () => {
    const chain = await local.connect({ pauseFeePayer });
    expect(await paidForPause(chain, pauseFeePayer.address)).toBeGreaterThan(0);
    expect(await paidForPause(chain, local.options.feePayer.address)).toBe(0);
  });

  test('a pause writes no account that other transactions of the service write', async () => {
    const { address, tokenAccount } = await anAccount(local.chain);
    const chain = await local.connect({ pauseFeePayer });
    await chain.policies.change(address, { paused: true }, 0n, operator);
    const [last] = await connection.getSignaturesForAddress(new PublicKey(address), { limit: 1 }, 'confirmed');
    const options = { commitment: 'confirmed', maxSupportedTransactionVersion: 0 } as const;
    const message = (await connection.getTransaction(last?.signature ?? '', options))?.transaction.message;
    const written = message?.staticAccountKeys.filter((_, index) => message.isAccountWritable(index)).map(String);
    const seeds = [Buffer.from('policy'), new PublicKey(address).toBuffer()];
    const [policy] = PublicKey.findProgramAddressSync(seeds, new PublicKey(PROGRAM_ADDRESS));
    expect(written?.sort()).toEqual([pauseFeePayer.address, address, String(policy), tokenAccount].sort());
  });

  test('a pause lands while the fee payer has nothing', async () => {
    const { address } = await anAccount(local.chain);
    const chain = await local.connect({ feePayer: LocalSigner.generate().signer, pauseFeePayer });
    expect(await chain.policies.change(address, { paused: true }, 0n, operator)).toMatchObject({ kind: 'changed' });
  });

  test('no transaction pays more than what is set', async () => {
    const chain = await local.connect({ rpcUrls: [node.url], maxPriorityLamports: 7n });
    expect(await paidForPause(chain, local.options.feePayer.address)).toBe(10_007);
  });
});
