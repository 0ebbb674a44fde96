/** A pool of keys that pay for transfers, and a treasury that fills them. */
import { randomBytes } from 'node:crypto';
import { Connection, LAMPORTS_PER_SOL, PublicKey } from '@solana/web3.js';
import { LocalSigner, type Chain, type Signer } from '../src';
import { startLocalChain, type LocalChain } from './local-chain';
import { anAccount, authority } from './payer';

jest.setTimeout(120_000);

describe('a pool of fee payers', () => {
  let local: LocalChain;
  let connection: Connection;
  const [one, other] = [LocalSigner.generate().signer, LocalSigner.generate().signer];

  beforeAll(async () => {
    local = await startLocalChain();
    connection = new Connection(local.rpcUrl, 'confirmed');
  });
  afterAll(() => local.stop());

  const lamportsOf = (key: Signer): Promise<number> => connection.getBalance(new PublicKey(key.address));

  async function transfer(chain: Chain, from: Awaited<ReturnType<typeof anAccount>>, destination: string, seq: bigint): Promise<void> {
    const order = { transferId: randomBytes(16), microUsdc: 1n, destination, category: null, memoHash: null, approvedBy: null };
    const signed = await chain.orders.signTransfer({ ...from, ...order, authority: authority.address }, seq, [authority]);
    expect(await chain.orders.settle(signed, 10_000)).toMatchObject({ kind: 'landed' });
  }

  test('pays for transfers in turn, and the main key for none of them', async () => {
    for (const key of [one, other]) await connection.requestAirdrop(new PublicKey(key.address), LAMPORTS_PER_SOL);
    const chain = await local.connect({ feePayers: [one, other], leastFeePayerLamports: 1_000_000n });
    const [from, to] = [await anAccount(chain, 10n), await anAccount(chain)];
    const before = await lamportsOf(local.options.feePayer);
    for (const seq of [1n, 2n, 3n, 4n]) await transfer(chain, from, to.tokenAccount, seq);
    expect(await Promise.all([one, other].map(lamportsOf))).toEqual([LAMPORTS_PER_SOL - 20_000, LAMPORTS_PER_SOL - 20_000]);
    expect(await lamportsOf(local.options.feePayer)).toBe(before);
  });

  test('leaves it to the main key while each holds too little', async () => {
    const chain = await local.connect({ feePayers: [one, other], leastFeePayerLamports: BigInt(2 * LAMPORTS_PER_SOL) });
    const [from, to] = [await anAccount(chain, 10n), await anAccount(chain)];
    const before = await lamportsOf(local.options.feePayer);
    await transfer(chain, from, to.tokenAccount, 1n);
    expect(before - (await lamportsOf(local.options.feePayer))).toBe(10_000);
  });

  test('is filled from a treasury, which pays the fee itself', async () => {
    const treasury = LocalSigner.generate().signer;
    await connection.requestAirdrop(new PublicKey(treasury.address), LAMPORTS_PER_SOL);
    const [before, mainBefore] = [await lamportsOf(one), await lamportsOf(local.options.feePayer)];
    await local.chain.sendLamports(treasury, one.address, 400_000_000n);
    expect((await lamportsOf(one)) - before).toBe(400_000_000);
    expect(await lamportsOf(treasury)).toBe(LAMPORTS_PER_SOL - 400_005_000);
    expect(await lamportsOf(local.options.feePayer)).toBe(mainBefore);
  });

  test('a treasury that holds too little moves nothing', async () => {
    const treasury = LocalSigner.generate().signer;
    await connection.requestAirdrop(new PublicKey(treasury.address), LAMPORTS_PER_SOL);
    await expect(local.chain.sendLamports(treasury, one.address, BigInt(LAMPORTS_PER_SOL))).rejects.toThrow('system transfer');
  });
});
