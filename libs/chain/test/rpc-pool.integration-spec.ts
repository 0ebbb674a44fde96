/** Several nodes: which one is asked, and what a node that is behind, busy, slow or gone does to an answer. */
import { Keypair } from '@solana/web3.js';
import { eventually } from '../../../test/support/eventually';
import { readTransaction } from '../src/history/landed-transaction';
import { Addresses } from '../src/program/addresses';
import { Rpc } from '../src/rpc/client';
import { startLocalChain, type LocalChain } from './local-chain';
import { LyingRpc, type Misbehaviour } from './lying-rpc';

jest.setTimeout(120_000);

const SIGNATURE = '1'.repeat(64);
const TIMEOUT_MS = 3_000;

describe('Rpc with several nodes', () => {
  let local: LocalChain;
  let nodes: LyingRpc[];

  beforeAll(async () => void (local = await startLocalChain()));
  afterAll(() => local.stop());
  beforeEach(async () => void (nodes = await Promise.all([1, 2, 3].map(() => LyingRpc.start(local.rpcUrl)))));
  afterEach(() => Promise.all(nodes.map((node) => node.stop())));

  const node = (index: number): LyingRpc => {
    const found = nodes[index];
    if (!found) throw new Error(`there is no node ${index}`);
    return found;
  };
  const lie = (index: number, misbehaviour: Misbehaviour, method = '*'): void => void node(index).lies.set(method, misbehaviour);
  const asked = (index: number, method: string): number => node(index).seen.filter((one) => one === method).length;
  const rpcOf = (count: number, sendUrls: string[] = []): Rpc =>
    new Rpc({ urls: nodes.slice(0, count).map(({ url }) => url), sendUrls, commitment: 'confirmed', timeoutMs: TIMEOUT_MS });
  /** How long a read takes, in milliseconds. */
  const readingTime = async (rpc: Rpc): Promise<number> => {
    const from = performance.now();
    await rpc.height('confirmed');
    return performance.now() - from;
  };

  it('believes no status of a node that is behind the height that another one reported', async () => {
    const rpc = rpcOf(2);
    lie(0, { status: 500 }, 'getSignatureStatuses');
    lie(1, { result: { context: { slot: 1 }, value: [null] } }, 'getSignatureStatuses');
    const { slot } = await rpc.height('confirmed');
    const statuses = rpc.signatureStatuses([SIGNATURE], { searchTransactionHistory: true, minContextSlot: slot });
    await expect(statuses).rejects.toThrow('the chain is unavailable: no signature statuses');
  });

  it('asks another node where the first answers with what is not a transaction', async () => {
    const { publicKey } = Keypair.generate();
    const read = (answer: unknown) => readTransaction(answer, new Addresses(publicKey, publicKey));
    lie(0, { result: 'seven' }, 'getTransaction');
    lie(1, { result: null }, 'getTransaction');
    expect(await rpcOf(2).transaction(SIGNATURE, 'confirmed', read)).toBeNull();
    await expect(rpcOf(1).transaction(SIGNATURE, 'confirmed', read)).rejects.toThrow('the chain is unavailable: no transaction');
  });

  it('asks another node beside one that does not answer', async () => {
    lie(0, 'hang');
    expect(await readingTime(rpcOf(2))).toBeLessThan(TIMEOUT_MS);
    expect([asked(0, 'getEpochInfo'), asked(1, 'getEpochInfo')]).toEqual([1, 1]);
  });

  it('makes no more calls a second to a node than its rate, and asks another one beyond it', async () => {
    const urls = [0, 1].map((index) => `${index}=${node(index).url};rps=5`);
    const rpc = new Rpc({ urls, commitment: 'confirmed', timeoutMs: TIMEOUT_MS });
    const from = performance.now();
    for (let count = 0; count < 20; count++) await rpc.height('confirmed');
    const most = 5 + Math.ceil(5 * ((performance.now() - from) / 1_000));
    const counts = [asked(0, 'getEpochInfo'), asked(1, 'getEpochInfo')];
    expect(Math.max(...counts)).toBeLessThanOrEqual(most);
    expect(Math.min(...counts)).toBeGreaterThan(0);
  });

  it('waits for the only node where it answers 429, and does not call it meanwhile', async () => {
    const rpc = rpcOf(1);
    lie(0, { status: 429 });
    const reading = readingTime(rpc);
    setTimeout(() => node(0).lies.clear(), 500);
    await reading;
    expect(asked(0, 'getEpochInfo')).toBe(2);
  });

  it('asks another node at once where one answers 429', async () => {
    const rpc = rpcOf(2);
    lie(0, { status: 429 });
    await Promise.all([readingTime(rpc), readingTime(rpc)]);
    await readingTime(rpc);
    expect([asked(0, 'getEpochInfo') <= 2, asked(1, 'getEpochInfo')]).toEqual([true, 3]);
  });

  it('leaves a node alone after five failures in a row, and tries it again later', async () => {
    const rpc = rpcOf(2);
    lie(0, 'break');
    for (let i = 0; i < 20; i++) await readingTime(rpc);
    const before = asked(0, 'getEpochInfo');
    expect(before).toBeLessThan(20);
    node(0).lies.clear();
    await eventually(async () => {
      await readingTime(rpc);
      expect(asked(0, 'getEpochInfo')).toBeGreaterThan(before);
    });
  });

  it('sends to all nodes and senders at once, and returns when one has accepted', async () => {
    lie(0, 'hang');
    lie(1, { error: { code: -32005, message: 'Node is behind' } });
    lie(2, { result: SIGNATURE });
    const from = performance.now();
    expect(await rpcOf(2, [node(2).url]).send(Buffer.of(1))).toBe('accepted');
    expect(performance.now() - from).toBeLessThan(TIMEOUT_MS);
    expect(nodes.map(({ seen }) => seen)).toEqual([['sendTransaction'], ['sendTransaction'], ['sendTransaction']]);
  });

  it('sends again where every node answered 429', async () => {
    lie(0, { status: 429 });
    const sent = rpcOf(1).send(Buffer.of(1));
    setTimeout(() => node(0).lies.set('*', { result: SIGNATURE }), 500);
    expect(await sent).toBe('accepted');
  });

  it('submits nothing to a node of another chain', async () => {
    const rpc = rpcOf(2);
    rpc.expectGenesis('another');
    expect([await rpc.send(Buffer.of(1)), asked(0, 'sendTransaction')]).toEqual(['unreachable', 0]);
  });
});
