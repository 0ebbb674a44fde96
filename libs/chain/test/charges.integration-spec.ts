import { eventually } from '../../../test/support/eventually';
import { createFreezeAccountInstruction, createRevokeInstruction, createTransferCheckedInstruction } from '@solana/spl-token';
import { Connection, PublicKey, VersionedTransaction } from '@solana/web3.js';
import { ChainOutcomeUnknownError, ChainRefusedError, ChainUnavailableError, LocalSigner, type Chain, type ChargePayment } from '../src';
import { forged, landedStatuses } from '../../../test/support/forged';
import { Addresses } from '../src/program/addresses';
import { instruction } from '../src/program/instruction';
import { toBn } from '../src/program/idl';
import { aChargeOrder, anApprovedCharge, type ApprovedCharge } from './approved-charge';
import { relayed, startLocalChain, type LocalChain } from './local-chain';
import { LyingRpc } from './lying-rpc';
import { aProvider, anAccount, authority, operator, send, type Provider } from './payer';

jest.setTimeout(60_000);

let local: LocalChain;
let chain: Chain;
let provider: Provider;
let connection: Connection;
beforeAll(async () => {
  local = await startLocalChain();
  ({ chain } = local);
  provider = await aProvider(local);
  connection = new Connection(local.rpcUrl, 'confirmed');
});
afterAll(() => local.stop());

const aPayment = ({ account }: ApprovedCharge, more: Partial<ChargePayment> = {}): ChargePayment => ({
  owner: account.address,
  tokenAccount: account.tokenAccount,
  recipient: provider.address,
  microUsdc: 100n,
  externalId: null,
  recentBlockhash: null,
  feePayer: null,
  minContextSlot: 0,
  ...more,
});

/** The provider's part: signs as fee payer and submits. */
async function broadcast(transaction: string, signs = false): Promise<string> {
  const parsed = VersionedTransaction.deserialize(Buffer.from(transaction, 'base64'));
  if (signs) parsed.sign([provider.wallet]);
  return connection.sendRawTransaction(parsed.serialize());
}

test('finds the end of a charge that a stranger caused through a program that fills the logs', async () => {
  const { account } = await anApprovedCharge(chain);
  await chain.advanceClock(600);
  const addresses = new Addresses(new PublicKey(chain.identity.programId), new PublicKey(chain.identity.usdcMint));
  const payer = new PublicKey(account.address);
  const accounts = { account: payer, token_account: addresses.tokenAccount(payer), closer: provider.wallet.publicKey };
  const signature = await send(
    local,
    [relayed(instruction(addresses.programId, 'finish_charge', accounts, { seq: toBn(1n) }))],
    provider.wallet,
  );
  expect(await chain.charges.finished(account.address, 1n)).toMatchObject({ signature, spent: 0n, isExact: true });
  expect(await chain.charges.finish(account.address, 1n, authority)).toMatchObject({ signature });
});

test('a delegate that moves a part and revokes itself counts as the whole on chain, and movements has the actual amount', async () => {
  const { account, order, delegate } = await anApprovedCharge(chain);
  const [source, key, mint] = [
    new PublicKey(account.tokenAccount),
    new PublicKey(delegate.address),
    new PublicKey(chain.identity.usdcMint),
  ];
  const use = createTransferCheckedInstruction(source, mint, new PublicKey(provider.tokenAccount), key, 60n, 6);
  const used = await send(local, [use, createRevokeInstruction(source, key)], provider.wallet, [delegate]);
  const finished = await chain.charges.finish(account.address, 1n, authority);
  expect(finished).toMatchObject({ spent: 100n, isExact: false });
  const span = { tokenAccount: account.tokenAccount, delegate: order.delegate, approval: null, end: finished.signature };
  expect((await chain.charges.movements(span)).movements).toEqual([
    {
      signature: used,
      microUsdc: 60n,
      destination: provider.tokenAccount,
      memo: null,
      delegateSignature: expect.stringMatching(/^\w{80,88}$/),
      slot: expect.any(Number),
    },
  ]);
  await expect(chain.charges.movements({ ...span, end: '1'.repeat(64) })).rejects.toThrow(ChainUnavailableError);
});

const received = async () => (await chain.accounts.balances([provider.tokenAccount]))[0] ?? 0n;

describe('charges', () => {
  test('simulateApproval checks the rules of a transfer and rejects accounts that list counterparties', async () => {
    const [account, delegate] = [await anAccount(chain, 1_000n), LocalSigner.generate().signer.address];
    expect(await chain.charges.simulateApproval(aChargeOrder(account, delegate), 1n, 0)).toEqual({ kind: 'allowed', policyVersion: 1n });
    await chain.policies.change(account.address, { maxSingleTransfer: 99n }, 1n, operator);
    expect(await chain.charges.simulateApproval(aChargeOrder(account, delegate), 1n, 0)).toMatchObject({
      kind: 'violation',
      violation: { rule: 'max_single_transfer', limit: 99n, attempted: 100n },
    });
    await chain.policies.change(account.address, { maxSingleTransfer: null, allowedCounterparties: [provider.address] }, 2n, operator);
    expect(await chain.charges.simulateApproval(aChargeOrder(account, delegate), 1n, 0)).toMatchObject({
      kind: 'violation',
      violation: { rule: 'allowed_counterparties' },
    });
  });

  test('a landed approval is an order of the kind purse if its instruction says so, and shows its nonce and deadline', async () => {
    const { account, order } = await anApprovedCharge(chain, { purse: true });
    const landed = await chain.history.findOrder(account.address, 1n);
    expect(landed).toMatchObject({ kind: 'purse', id: Buffer.from(order.chargeId), microUsdc: 100n, delegate: order.delegate });
    const { openCharge } = (await chain.accounts.find(account.address)) ?? {};
    const signature = landed?.signature ?? '';
    expect(await chain.charges.approved(signature, order.chargeId)).toEqual({ seq: 1n, deadline: openCharge?.deadline });
    await expect(chain.charges.approved(signature, Buffer.alloc(16))).rejects.toThrow(ChainUnavailableError);
  });

  test('a charge is approved, paid by a transaction that the provider submits, and finished with the amount moved', async () => {
    const charge = await anApprovedCharge(chain);
    const { account, order, delegate } = charge;
    expect(await chain.accounts.find(account.address)).toMatchObject({
      reserved: 100n,
      openCharge: { chargeId: Uint8Array.from(order.chargeId), seq: 1n, microUsdc: 100n, delegate: delegate.address },
    });
    expect(await chain.history.findOrder(account.address, 1n)).toMatchObject({
      kind: 'charge',
      id: Buffer.from(order.chargeId),
      microUsdc: 100n,
      session: null,
    });

    const before = await received();
    const { transaction, signature, lastValidBlockHeight } = await chain.sellerPayments.buildPayment(
      aPayment(charge, { microUsdc: 60n, externalId: 'order 42' }),
      delegate,
    );
    expect(await broadcast(transaction)).toBe(signature);
    expect(await chain.orders.lookUp({ signature: signature ?? '', lastValidBlockHeight })).toMatchObject({ kind: 'landed' });
    expect((await received()) - before).toBe(60n);
    expect([await chain.charges.hasExpired(lastValidBlockHeight), await chain.charges.hasExpired(-1)]).toEqual([false, true]);

    const finished = await chain.charges.finish(account.address, 1n, authority);
    expect(finished).toMatchObject({ chargeId: Uint8Array.from(order.chargeId), spent: 60n });
    expect(await chain.charges.finish(account.address, 1n, authority)).toEqual(finished);
    expect(await chain.accounts.spending(account, 0)).toMatchObject({ spent: 60n, reserved: 0n });
    expect(await chain.accounts.find(account.address)).toMatchObject({ openCharge: null });
  });

  test('buildPayment uses the provider’s blockhash and fee payer', async () => {
    const charge = await anApprovedCharge(chain);
    const before = await received();
    const { blockhash } = await connection.getLatestBlockhash('confirmed');
    const height = await connection.getBlockHeight('confirmed');
    const built = await chain.sellerPayments.buildPayment(
      aPayment(charge, { recentBlockhash: blockhash, feePayer: provider.address }),
      charge.delegate,
    );
    expect(built.signature).toBeNull();
    expect(built.lastValidBlockHeight).toBeGreaterThanOrEqual(height + 150);
    await broadcast(built.transaction, true);
    expect((await received()) - before).toBe(100n);
    expect(await chain.charges.finish(charge.account.address, 1n, operator)).toMatchObject({ spent: 100n });
  });

  test('buildPayment rejects a blockhash that our node does not know', async () => {
    const charge = await anApprovedCharge(chain);
    const recentBlockhash = LocalSigner.generate().signer.address;
    await expect(chain.sellerPayments.buildPayment(aPayment(charge, { recentBlockhash }), charge.delegate)).rejects.toMatchObject({
      reason: 'blockhash_unknown',
    });
  });

  test.each<[string, Partial<ChargePayment>, string]>([
    ['to a recipient without a token account', { recipient: LocalSigner.generate().signer.address }, 'payment_fails'],
    ['of more than was approved', { microUsdc: 101n }, 'payment_fails'],
    ['with a memo that is too long', { externalId: 'x'.repeat(567) }, 'memo_too_long'],
  ])('buildPayment rejects a payment %s', async (_what, payment, reason) => {
    const charge = await anApprovedCharge(chain);
    await expect(chain.sellerPayments.buildPayment(aPayment(charge, payment), charge.delegate)).rejects.toMatchObject({ reason });
  });

  test('a payment that is submitted after its charge was finished fails', async () => {
    const charge = await anApprovedCharge(chain);
    const before = await received();
    const { transaction } = await chain.sellerPayments.buildPayment(aPayment(charge), charge.delegate);
    expect(await chain.charges.finish(charge.account.address, 1n, authority)).toMatchObject({ spent: 0n });
    await broadcast(transaction).catch(() => undefined);
    expect(await received()).toBe(before);
    expect(await chain.accounts.balances([charge.account.tokenAccount])).toEqual([1_000n]);
  });

  test('pausing ends a charge, and finish returns how it ended', async () => {
    const { account } = await anApprovedCharge(chain);
    expect(await chain.policies.change(account.address, { paused: true }, 99n, operator)).toMatchObject({ kind: 'changed' });
    expect(await chain.accounts.find(account.address)).toMatchObject({ reserved: 0n, openCharge: null });
    expect(await chain.charges.finish(account.address, 1n, authority)).toMatchObject({ spent: 0n });
  });

  test('finish believes neither a node’s status nor an event until the account shows the charge as finished', async () => {
    const { account, order } = await anApprovedCharge(chain);
    const node = await LyingRpc.start(local.rpcUrl);
    const other = await local.connect({ rpcUrls: [node.url], webSocketUrls: ['ws://127.0.0.1:9'], adminTimeoutMs: 500 });
    const approval = (await chain.history.findOrder(account.address, 1n))?.signature ?? '';
    node.lies.set('sendTransaction', { result: 'swallowed' });
    node.lies.set('getSignatureStatuses', landedStatuses([[0]]));
    node.lies.set(
      'getTransaction',
      await forged(local.rpcUrl, approval, 'ChargeFinished', {
        account: account.address,
        charge_id: [...order.chargeId],
        seq: 1n,
        amount: 100n,
      }),
    );
    await expect(other.charges.finish(account.address, 1n, authority)).rejects.toThrow(ChainOutcomeUnknownError);
    expect(await other.charges.finished(account.address, 1n)).toBeNull();
    node.lies.clear();
    await eventually(async () => expect(await other.charges.finish(account.address, 1n, authority)).toMatchObject({ spent: 0n }));
    await node.stop();
  });

  test('finish fails without a fee while the token account is frozen', async () => {
    const { account } = await anApprovedCharge(chain);
    const issuer = local.options.mintAuthority as LocalSigner;
    await send(
      local,
      [
        createFreezeAccountInstruction(
          new PublicKey(account.tokenAccount),
          new PublicKey(chain.identity.usdcMint),
          new PublicKey(issuer.address),
        ),
      ],
      provider.wallet,
      [issuer],
    );
    const lamports = await connection.getBalance(new PublicKey(local.options.feePayer.address));
    await expect(chain.charges.finish(account.address, 1n, authority)).rejects.toThrow(ChainRefusedError);
    expect(await connection.getBalance(new PublicKey(local.options.feePayer.address))).toBe(lamports);
  });

  test('finish by a stranger fails before the deadline and works after it', async () => {
    const { account } = await anApprovedCharge(chain);
    await expect(chain.charges.finish(account.address, 1n, null)).rejects.toThrow(ChainRefusedError);
    await expect(chain.charges.finish(account.address, 1n, null)).rejects.toMatchObject({ reason: 'charge_in_use' });
    await chain.advanceClock(600);
    expect(await chain.charges.finish(account.address, 1n, null)).toMatchObject({ spent: 0n });
  });

  test('policies.change that ends a charge has room for twenty list entries', async () => {
    const account = await anAccount(chain);
    const priced = await local.connect({ microLamportsPerComputeUnit: 1n });
    const allowedCounterparties = Array.from({ length: 20 }, () => LocalSigner.generate().signer.address);
    expect(
      await priced.policies.change(
        account.address,
        { paused: true, maxDailySpend: 1n, maxSingleTransfer: 1n, escalationThreshold: 1n, requireMemo: true, allowedCounterparties },
        1n,
        operator,
      ),
    ).toMatchObject({ kind: 'changed' });
  });
});
