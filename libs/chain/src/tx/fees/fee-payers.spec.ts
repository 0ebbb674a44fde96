import { PublicKey, SystemProgram } from '@solana/web3.js';
import type { Rpc } from '../../rpc/client';
import { signTransaction } from '../build';
import { FeePayers } from './fee-payers';
import { LocalSigner, type Signer } from '../signing/signer';

const [main, one, other] = [LocalSigner.generate().signer, LocalSigner.generate().signer, LocalSigner.generate().signer];
const LEAST = 1_000n;

/** Fee payers that hold these lamports; `null` if no node answers. */
async function feePayers(held: Record<string, bigint> | null, pool: Signer[] = [one, other]): Promise<FeePayers> {
  const accounts = (addresses: string[]) =>
    held ? Promise.resolve(addresses.map((address) => ({ lamports: Number(held[address] ?? 0n) }))) : Promise.reject(new Error('away'));
  const all = new FeePayers({ accounts } as unknown as Rpc, { main, urgent: main, pool, leastLamports: LEAST });
  await all.refresh();
  return all;
}

/** The keys that pay for the next four transfers. */
const nextFour = (all: FeePayers): string[] => Array.from({ length: 4 }, () => all.next().address);

/** A transaction that this key pays for. */
async function paidBy(payer: Signer): Promise<Uint8Array> {
  const feePayer = new PublicKey(payer.address);
  const move = SystemProgram.transfer({ fromPubkey: feePayer, toPubkey: PublicKey.default, lamports: 1 });
  const draft = { instructions: [move], feePayer, computeUnits: 0, microLamportsPerUnit: 0n };
  return (await signTransaction(draft, { blockhash: PublicKey.default.toBase58(), lastValidBlockHeight: 1 }, [payer])).bytes;
}

describe('the keys that pay for transfers', () => {
  beforeEach(() => void jest.useFakeTimers({ now: 1_000_000 }));
  afterEach(() => void jest.useRealTimers());

  it('take turns', async () => {
    const all = await feePayers({ [one.address]: LEAST, [other.address]: LEAST });
    expect(nextFour(all)).toEqual([one.address, other.address, one.address, other.address]);
  });

  it('are passed over while they hold too little', async () => {
    const all = await feePayers({ [one.address]: LEAST - 1n, [other.address]: LEAST });
    expect(new Set(nextFour(all))).toEqual(new Set([other.address]));
  });

  it.each<[string, Record<string, bigint> | null]>([
    ['hold too little', { [main.address]: LEAST }],
    ['are not known', null],
  ])('leave it to the main one while all %s', async (_why, held) => {
    expect(new Set(nextFour(await feePayers(held)))).toEqual(new Set([main.address]));
  });

  it('are the main one without a pool', async () => {
    expect((await feePayers({}, [])).next()).toBe(main);
  });

  it('rest for 30 seconds after a transaction that expired, unless all rest', async () => {
    const all = await feePayers({ [one.address]: LEAST, [other.address]: LEAST });
    all.rest(await paidBy(one));
    expect(new Set(nextFour(all))).toEqual(new Set([other.address]));
    all.rest(await paidBy(other));
    expect(new Set(nextFour(all))).toEqual(new Set([one.address, other.address]));
    jest.advanceTimersByTime(30_000);
    expect(new Set(nextFour(all))).toEqual(new Set([one.address, other.address]));
  });
});
