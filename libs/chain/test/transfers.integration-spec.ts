import { randomBytes } from 'node:crypto';
import { ChainUnavailableError, type AccountAddresses, type Chain, type TransferOrder } from '../src';
import { startLocalChain, type LocalChain } from './local-chain';
import { DEAD_URL, LyingRpc } from './lying-rpc';
import { anAccount, authority, operator } from './payer';

jest.setTimeout(60_000);

let local: LocalChain;
let chain: Chain;
beforeAll(async () => {
  local = await startLocalChain();
  ({ chain } = local);
});
afterAll(() => local.stop());

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

describe('transfer orders', () => {
  test('simulateTransfer reports a violation with its numbers and sends nothing', async () => {
    const [payer, payee] = [await anAccount(chain, 100n), await anAccount(chain)];
    await chain.policies.change(payer.address, { maxDailySpend: 50n }, 1n, operator);
    expect(await chain.orders.simulateTransfer(anOrder(payer, payee, 50n), 1n, 0)).toEqual({
      kind: 'allowed',
      policyVersion: expect.any(BigInt),
    });
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

  test('simulateTransfer throws ChainUnavailableError at a stale node', async () => {
    const [payer, payee] = [await anAccount(chain, 1n), await anAccount(chain)];
    await expect(chain.orders.simulateTransfer(anOrder(payer, payee, 1n), 1n, 1_000_000_000)).rejects.toThrow(ChainUnavailableError);
  });

  test('a transfer lands once when the same bytes are submitted several times', async () => {
    const [payer, payee] = [await anAccount(chain, 100n), await anAccount(chain)];
    const signed = await chain.orders.signTransfer(anOrder(payer, payee, 30n), 1n, [authority]);
    const landed = { kind: 'landed', slot: expect.any(Number) };
    expect(await Promise.all([chain.orders.settle(signed, 10_000), chain.orders.settle(signed, 10_000)])).toEqual([landed, landed]);
    expect(await chain.orders.settle(signed, 10_000)).toEqual(landed);
    expect(await chain.orders.lookUp(signed)).toEqual({ kind: 'landed', slot: expect.any(Number) });
    expect(await chain.accounts.balances([payer.tokenAccount, payee.tokenAccount])).toEqual([70n, 30n]);
  });

  test('a transfer with a used nonce fails on chain, and findOrder returns the order that used it', async () => {
    const [payer, payee] = [await anAccount(chain, 100n), await anAccount(chain)];
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

  test('a transfer that violates a rule when it lands fails on chain with that rule', async () => {
    const [payer, payee] = [await anAccount(chain, 100n), await anAccount(chain)];
    const signed = await chain.orders.signTransfer(anOrder(payer, payee, 30n), 1n, [authority]);
    await chain.policies.change(payer.address, { maxSingleTransfer: 29n }, 1n, operator);
    expect(await chain.orders.settle(signed, 10_000)).toMatchObject({
      kind: 'violation',
      violation: { rule: 'max_single_transfer', limit: 29n, attempted: 30n },
    });
  });

  test('a transfer settles by polling when the submission was not answered and no notification came', async () => {
    const [payer, payee] = [await anAccount(chain, 100n), await anAccount(chain)];
    const node = await LyingRpc.start(local.rpcUrl);
    const other = await local.connect({ rpcUrls: [node.url], webSocketUrls: [DEAD_URL.replace('http', 'ws')], rpcTimeoutMs: 2_000 });
    node.lies.set('sendTransaction', 'accept-and-hang');
    const signed = await other.orders.signTransfer(anOrder(payer, payee, 30n), 1n, [authority]);
    expect(await other.orders.settle(signed, 10_000)).toMatchObject({ kind: 'landed' });
    await node.stop();
  });

  test('a transfer is unknown, not failed, when no node reports it within the time-out', async () => {
    const [payer, payee] = [await anAccount(chain, 100n), await anAccount(chain)];
    const node = await LyingRpc.start(local.rpcUrl);
    const other = await local.connect({ rpcUrls: [node.url], webSocketUrls: [DEAD_URL.replace('http', 'ws')] });
    const signed = await other.orders.signTransfer(anOrder(payer, payee, 30n), 1n, [authority]);
    node.lies.set('sendTransaction', 'break');
    expect(await other.orders.settle(signed, 1_000)).toEqual({ kind: 'unknown' });
    expect(await chain.orders.lookUp(signed)).toEqual({ kind: 'unknown' });
    await node.stop();
  });

  test('a transfer is expired once its blockhash is, and not before', async () => {
    const [payer, payee] = [await anAccount(chain, 100n), await anAccount(chain)];
    const signed = await chain.orders.signTransfer(anOrder(payer, payee, 30n), 1n, [authority]);
    await advanceSlots(100);
    expect(await chain.orders.lookUp(signed)).toEqual({ kind: 'unknown' });
    await advanceSlots(100); // beyond its 150 slots, and the 32 after which a height is finalized
    expect(await chain.orders.lookUp(signed)).toMatchObject({ kind: 'expired' });
    expect(await chain.orders.settle(signed, 10_000)).toMatchObject({ kind: 'expired' });
  });
});

/** Advances the embedded chain by this many slots. */
async function advanceSlots(slots: number): Promise<void> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'sandbox_advanceSlots', params: [{ slots }] });
  await fetch(local.rpcUrl, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
}
