import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { Connection } from '@solana/web3.js';
import { eventually } from '../../../test/support/eventually';
import { forged, landedStatuses } from '../../../test/support/forged';
import {
  ChainOutcomeUnknownError,
  ChainRefusedError,
  ChainUnavailableError,
  LocalSigner,
  type AccountAddresses,
  type Chain,
  type SessionOrder,
  type SignedVoucher,
} from '../src';
import { relayed, type LocalChain } from './local-chain';
import { aVoucher, anAccount, authority, operator, send, type Provider } from './payer';
import { startSessionStage, type SessionStage, voucherKey, voucherOf } from './session-stage';

jest.setTimeout(60_000);

let stage: SessionStage;
let local: LocalChain;
let chain: Chain;
let provider: Provider;
beforeAll(async () => {
  stage = await startSessionStage();
  ({ local, chain, provider } = stage);
});
afterAll(() => local.stop());

const balances = async ({ tokenAccount }: AccountAddresses, session: string) =>
  chain.accounts.balances([tokenAccount, chain.sessions.plan(session, 0n).escrow, provider.tokenAccount]);

test('finds the end of a session that a stranger caused through a program that fills the logs', async () => {
  const { session } = await stage.anOpenSession({ expiresInSeconds: 60 });
  await chain.advanceClock(60);
  const signature = await send(local, [relayed(await stage.permissionlessClose(session))], provider.wallet);
  const { meta } = (await new Connection(local.rpcUrl, 'confirmed').getTransaction(signature, { maxSupportedTransactionVersion: 0 })) ?? {};
  expect(meta?.logMessages?.join('\n')).not.toContain('Program data: '); // cut off before the program could log anything
  expect(await chain.sessions.ended(session)).toMatchObject({ status: 'closed', signature, settled: 0n, returned: 100n });
  expect(await chain.sessions.closeExpired(session, null)).toMatchObject({ status: 'closed', signature });
});

describe('opening a session', () => {
  test('simulateOpen checks the cap against the daily limit and not against max_single_transfer', async () => {
    const account = await anAccount(chain, 1_000n);
    await chain.policies.change(account.address, { maxDailySpend: 100n, maxSingleTransfer: 1n }, 1n, operator);
    const simulate = (more?: Partial<SessionOrder>) => chain.sessions.simulateOpen(stage.anOrder(account, more), 1n, 0);
    expect(await simulate()).toEqual({ kind: 'allowed', policyVersion: expect.any(BigInt) });
    expect(await simulate({ cap: 101n })).toMatchObject({
      kind: 'violation',
      violation: { rule: 'max_daily_spend', limit: 100n, attempted: 101n, remaining: 100n },
    });
    const payee = LocalSigner.generate().signer.address;
    expect(await simulate({ payee })).toMatchObject({ kind: 'failed', failure: { reason: 'invalid_destination' } });
    expect(await chain.accounts.balances([account.tokenAccount])).toEqual([1_000n]);
  });

  test('an opening puts the cap into escrow at the planned address and stores all its fields', async () => {
    const { account, order, session } = await stage.anOpenSession({ category: 'data', graceSeconds: 5 });
    const { address, escrow } = chain.sessions.plan(account.address, 1n);
    expect(address).toBe(session);
    expect(await chain.accounts.balances([account.tokenAccount, escrow])).toEqual([900n, 100n]);
    const found = await chain.sessions.session(session);
    expect(found).toMatchObject({
      escrow,
      account: account.address,
      sessionId: Uint8Array.from(order.sessionId),
      payee: provider.address,
      payeeTokenAccount: provider.tokenAccount,
      voucherKey: voucherKey.address,
      category: 'data',
      seq: 1n,
      status: 'open',
      cap: 100n,
      settled: 0n,
      graceSeconds: 5,
    });
    expect(chain.sessions.payeeTokenAccount(provider.address)).toBe(provider.tokenAccount);
    expect(Number(found?.expiresAt) - Number(found?.openedAt)).toBe(600_000);
    expect(Number(await chain.clock.now())).toBeGreaterThanOrEqual(Number(found?.openedAt));
    expect(Number(found?.endsAt) - Number(found?.expiresAt)).toBe(5_000);
    expect(await chain.accounts.find(account.address)).toMatchObject({ reserved: 100n, openSessions: 1, openCharge: null });
  });

  test('an opening at the threshold needs the operator’s signature', async () => {
    const account = await anAccount(chain, 1_000n);
    await chain.policies.change(account.address, { escalationThreshold: 100n }, 1n, operator);
    expect(await chain.sessions.simulateOpen(stage.anOrder(account), 1n, 0)).toMatchObject({
      kind: 'violation',
      violation: { rule: 'escalation_threshold' },
    });
    const approved = stage.anOrder(account, { approvedBy: operator.address });
    const signed = await chain.sessions.signOpen(approved, 1n, [authority, operator]);
    expect(await chain.orders.settle(signed, 10_000)).toMatchObject({ kind: 'landed' });
  });

  test('findOrder returns an opening by its nonce with id, amount and session, and another order for another nonce', async () => {
    const { account, order, session, opening } = await stage.anOpenSession();
    const topUp = { ...account, session, topUpId: randomBytes(16), microUsdc: 20n, authority: authority.address, approvedBy: null };
    expect(await chain.sessions.simulateTopUp(topUp, 2n, 0)).toEqual({ kind: 'allowed', policyVersion: 1n });
    await chain.orders.settle(await chain.sessions.signTopUp(topUp, 2n, [authority]), 10_000);
    const find = (seq: bigint) => chain.history.findOrder(account.address, seq);
    expect(await find(1n)).toMatchObject({
      kind: 'session',
      signature: opening,
      slot: expect.any(Number),
      account: account.address,
      seq: 1n,
      id: Buffer.from(order.sessionId),
      microUsdc: 100n,
      session,
      destination: null,
    });
    expect(await find(2n)).toMatchObject({ kind: 'top_up', id: Buffer.from(topUp.topUpId), microUsdc: 20n, session });
    expect(await find(3n)).toBeNull();
    expect(await chain.sessions.session(session)).toMatchObject({ cap: 120n });
  });

  test('an opening by a thief of the authority key at another bump’s address is not taken for ours, although it has our id', async () => {
    const account = await anAccount(chain, 1_000n);
    const order = stage.anOrder(account);
    await send(local, [stage.openingAtAnotherBump(order, 1n)], provider.wallet, [authority]);
    const landed = await chain.history.findOrder(account.address, 1n);
    expect(landed).toMatchObject({ kind: 'session', seq: 1n, microUsdc: 100n });
    expect(landed?.id.equals(order.sessionId)).toBe(false);
    expect(await chain.sessions.session(chain.sessions.plan(account.address, 1n).address)).toBeNull();
  });
});

describe('checkPayment', () => {
  test('checkPayment at the threshold allows only sessions that the operator approved', async () => {
    const account = await anAccount(chain, 1_000n);
    const approved = stage.anOrder(account, { approvedBy: operator.address });
    await chain.orders.settle(await chain.sessions.signOpen(stage.anOrder(account), 1n, [authority]), 10_000);
    await chain.orders.settle(await chain.sessions.signOpen(approved, 2n, [authority, operator]), 10_000);
    await chain.policies.change(account.address, { escalationThreshold: 10n }, 1n, operator);
    const sessionAt = (seq: bigint) => chain.sessions.plan(account.address, seq).address;
    const check = (seq: bigint) => chain.sessions.checkPayment({ ...account, session: sessionAt(seq), microUsdc: 10n, category: null }, 0);
    expect(await check(1n)).toMatchObject({ kind: 'violation', violation: { rule: 'escalation_threshold', limit: 10n, attempted: 10n } });
    expect(await check(2n)).toMatchObject({ kind: 'allowed' });
  });

  test('checkPayment reports violations of the rules that apply, and fails for an ended session', async () => {
    const { account, session } = await stage.anOpenSession();
    const payment = { ...account, session, microUsdc: 10n, category: null };
    expect(await chain.sessions.checkPayment(payment, 0)).toEqual({ kind: 'allowed', policyVersion: 1n });
    await chain.policies.change(account.address, { maxSingleTransfer: 9n }, 1n, operator);
    expect(await chain.sessions.checkPayment(payment, 0)).toMatchObject({
      kind: 'violation',
      violation: { rule: 'max_single_transfer', limit: 9n, attempted: 10n },
    });
    await chain.policies.change(account.address, { paused: true }, 2n, operator);
    expect(await chain.sessions.checkPayment(payment, 0)).toMatchObject({ kind: 'violation', violation: { rule: 'paused' } });
    await chain.sessions.close(session, null, { closer: authority });
    expect(await chain.sessions.checkPayment(payment, 0)).toMatchObject({ kind: 'failed', failure: { reason: 'error_3007' } });
  });
});

describe('sessions.settle', () => {
  test('settle pays the payee the cumulative amount once; repeated or older vouchers pay nothing more', async () => {
    const { account, session } = await stage.anOpenSession();
    const [, , before] = await balances(account, session);
    const outcome = { status: 'open', paid: 60n, settled: 60n, returned: 0n, owed: 0n, endsAt: null };
    expect(await chain.sessions.settle(session, await voucherOf(session, 60n))).toMatchObject(outcome);
    expect(await chain.sessions.settle(session, await voucherOf(session, 60n))).toMatchObject({ ...outcome, paid: 0n });
    expect(await chain.sessions.settle(session, await voucherOf(session, 20n))).toMatchObject({ ...outcome, paid: 0n });
    const [own, , after] = await balances(account, session);
    expect([own, (after ?? 0n) - (before ?? 0n)]).toEqual([900n, 60n]);
    expect(await chain.accounts.spending(account, 0)).toMatchObject({ spent: 60n, reserved: 40n });
  });

  test('settle rejects a voucher above the cap, of another key or forged', async () => {
    const { session } = await stage.anOpenSession();
    const settle = (voucher: SignedVoucher) => chain.sessions.settle(session, voucher);
    const voucher = await voucherOf(session, 100n);
    await expect(settle(await voucherOf(session, 101n))).rejects.toMatchObject({ reason: 'voucher_above_cap' });
    await expect(settle({ ...voucher, signature: Buffer.alloc(64, 1) })).rejects.toThrow(ChainRefusedError);
    await expect(settle(await aVoucher(session, 100n, authority))).rejects.toThrow(ChainRefusedError);
    const another = await voucherOf(chain.identity.usdcMint, 100n);
    await expect(settle(another)).rejects.toMatchObject({ reason: 'voucher_wrong_session' });
    expect(await chain.sessions.session(session)).toMatchObject({ settled: 0n, proven: 0n });
  });

  test('settle without an answer is unknown, and repeated it returns the session’s state', async () => {
    const { session } = await stage.anOpenSession();
    const { node, other } = await stage.throughLyingNode({ rpcTimeoutMs: 2_000, adminTimeoutMs: 3_000 });
    const voucher = await voucherOf(session, 60n);
    node.lies.set('sendTransaction', 'accept-and-hang');
    node.lies.set('getSignatureStatuses', { result: { context: { slot: 1 }, value: [null] } });
    await expect(other.sessions.settle(session, voucher)).rejects.toThrow(ChainOutcomeUnknownError);
    node.lies.clear();
    await eventually(async () => expect(await other.sessions.settle(session, voucher)).toMatchObject({ paid: 0n, settled: 60n }));
    await node.stop();
  });
});

describe('sessions.close', () => {
  test('close reads its outcome from the transaction when no subscription delivers its logs', async () => {
    const { session } = await stage.anOpenSession();
    const { node, other } = await stage.throughLyingNode();
    node.lies.set('getTransaction', { result: null }); // it has seen the transaction land, and does not serve it yet
    const closing = other.sessions.close(session, await voucherOf(session, 60n), { closer: authority });
    while (!node.seen.includes('getTransaction')) await setTimeout(10);
    node.lies.clear();
    expect(await closing).toMatchObject({ paid: 60n, settled: 60n, returned: 40n });
    await node.stop();
  });

  test('close and settle believe a node’s status only when the session’s account shows it', async () => {
    const { session, opening } = await stage.anOpenSession();
    const { node, other } = await stage.throughLyingNode({ adminTimeoutMs: 500 });
    const voucher = await voucherOf(session, 60n);
    node.lies.set('sendTransaction', { result: 'swallowed' });
    node.lies.set('getSignatureStatuses', landedStatuses([[0]]));
    node.lies.set('getTransaction', await forged(local.rpcUrl, opening, 'SessionClosed', { session, returned: 100n }));
    await expect(other.sessions.settle(session, voucher)).rejects.toThrow(ChainOutcomeUnknownError);
    const close = () => other.sessions.close(session, voucher, { closer: authority });
    await expect(close()).rejects.toThrow(ChainOutcomeUnknownError);
    node.lies.clear();
    await eventually(async () => expect(await close()).toMatchObject({ status: 'closed', settled: 60n, returned: 40n }));
    await node.stop();
  });

  test('ended does not believe an event while the session’s account exists', async () => {
    const { session, opening } = await stage.anOpenSession();
    const { node, other } = await stage.throughLyingNode();
    node.lies.set('getTransaction', await forged(local.rpcUrl, opening, 'SessionClosed', { session, returned: 100n }));
    expect(await other.sessions.ended(session)).toBeNull();
    await node.stop();
  });

  test('close pays and refunds in one transaction, and every later call returns the same outcome', async () => {
    const { account, session } = await stage.anOpenSession();
    const voucher = await voucherOf(session, 60n);
    const closed = await chain.sessions.close(session, voucher, { closer: authority });
    expect(closed).toMatchObject({ status: 'closed', paid: 60n, settled: 60n, returned: 40n, owed: 0n });
    expect(await chain.sessions.session(session)).toBeNull();
    expect(await chain.accounts.balances([account.tokenAccount])).toEqual([940n]);
    for (const again of [
      chain.sessions.close(session, voucher, { closer: authority }),
      chain.sessions.settle(session, voucher),
      chain.sessions.closeExpired(session, null),
    ])
      expect(await again).toEqual(closed);
    expect(await chain.sessions.ended(session)).toEqual(closed);
  });

  test('close with a grace period starts it; a higher voucher is settled and any key ends the session after it', async () => {
    const { account, session } = await stage.anOpenSession({ graceSeconds: 60 });
    const closing = await chain.sessions.close(session, await voucherOf(session, 60n), { closer: operator });
    expect(closing).toMatchObject({ status: 'closing', paid: 60n, settled: 60n, returned: 0n });
    expect(await chain.sessions.session(session)).toMatchObject({ status: 'closing', endsAt: closing.endsAt });
    await expect(chain.sessions.closeExpired(session, null)).rejects.toMatchObject({ reason: 'session_in_use' });
    expect(await chain.sessions.settle(session, await voucherOf(session, 80n))).toMatchObject({
      status: 'closing',
      paid: 20n,
      settled: 80n,
    });
    await chain.advanceClock(60);
    expect(await chain.sessions.closeExpired(session, null)).toMatchObject({ status: 'closed', settled: 80n, returned: 20n });
    expect(await chain.accounts.balances([account.tokenAccount])).toEqual([920n]);
  });

  test('close with the payee’s signature needs no grace period', async () => {
    const { session } = await stage.anOpenSession({ graceSeconds: 60 });
    const closed = await chain.sessions.close(session, null, { closer: authority, payee: provider.signer });
    expect(closed).toMatchObject({ status: 'closed', settled: 0n, returned: 100n });
  });

  test('close rejects a signer that is neither authority nor operator', async () => {
    const { session } = await stage.anOpenSession();
    await expect(chain.sessions.close(session, null, { closer: voucherKey })).rejects.toMatchObject({ reason: 'session_in_use' });
  });

  test('close of a session that was never opened throws ChainUnavailableError', async () => {
    const { address } = chain.sessions.plan((await anAccount(chain)).address, 1n);
    await expect(chain.sessions.close(address, null, { closer: authority })).rejects.toThrow(ChainUnavailableError);
    expect(await chain.sessions.ended(address)).toBeNull();
  });
});

describe('history of a token account', () => {
  test('changeIn reports what the account’s own sessions moved apart from deposits', async () => {
    const { account, session, opening } = await stage.anOpenSession();
    expect(await chain.history.changeIn(opening, account.tokenAccount)).toMatchObject({ microUsdc: -100n, ours: -100n, transfers: [] });
    const { escrow } = chain.sessions.plan(account.address, 1n);
    await chain.mint(escrow, 7n); // a stranger's, and so a deposit once it arrives
    const closed = await chain.sessions.close(session, await voucherOf(session, 60n), { closer: authority });
    const signature = closed.signature ?? '';
    const refund = { microUsdc: 47n, ours: 40n, sender: escrow, transfers: [] };
    expect(await chain.history.changeIn(signature, account.tokenAccount)).toMatchObject(refund);
    expect(await chain.history.changeIn(signature, provider.tokenAccount)).toMatchObject({ microUsdc: 60n, ours: 0n });
  });
});
