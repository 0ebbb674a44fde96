import { createTransferCheckedInstruction } from '@solana/spl-token';
import {
  ComputeBudgetInstruction,
  Connection,
  PublicKey,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import { LocalSigner, type BuiltX402Transfer, type Chain, type X402Transfer } from '../src';
import { aChargeOrder, anApprovedCharge, type ApprovedCharge } from './approved-charge';
import { startLocalChain, type LocalChain } from './local-chain';
import { aProvider, anAccount, authority, operator, send, type Provider } from './payer';

jest.setTimeout(60_000);

const MEMO_PROGRAM = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr';

let local: LocalChain;
let chain: Chain;
let seller: Provider;
let facilitator: Provider;
let connection: Connection;
beforeAll(async () => {
  local = await startLocalChain();
  ({ chain } = local);
  [seller, facilitator] = [await aProvider(local), await aProvider(local)];
  connection = new Connection(local.rpcUrl, 'confirmed');
});
afterAll(() => local.stop());

const aTransfer = ({ account }: ApprovedCharge, more: Partial<X402Transfer> = {}): X402Transfer => ({
  owner: account.address,
  tokenAccount: account.tokenAccount,
  payTo: seller.address,
  microUsdc: 100n,
  feePayer: facilitator.address,
  memo: null,
  recentBlockhash: null,
  minContextSlot: 0,
  ...more,
});

const parsed = ({ transaction }: BuiltX402Transfer) => VersionedTransaction.deserialize(Buffer.from(transaction, 'base64'));

/** Signs as the fee payer and sends, as a facilitator does; answers the transaction's signature. */
async function settle(built: BuiltX402Transfer, { wallet }: Provider = facilitator): Promise<string> {
  const transaction = parsed(built);
  transaction.sign([wallet]);
  return connection.sendRawTransaction(transaction.serialize());
}

const instructionsOf = (built: BuiltX402Transfer) => TransactionMessage.decompile(parsed(built).message).instructions;
const memosOf = (built: BuiltX402Transfer) =>
  instructionsOf(built).flatMap(({ programId, data }) => (programId.toBase58() === MEMO_PROGRAM ? [data.toString()] : []));
const priceOf = (built: BuiltX402Transfer) =>
  ComputeBudgetInstruction.decodeSetComputeUnitPrice(instructionsOf(built)[1] as TransactionInstruction).microLamports;
const balanceOf = async (tokenAccount: string) => (await chain.accounts.balances([tokenAccount]))[0] ?? 0n;

test('an x402 transfer is limit, price, transfer and memo, of version 0, signed by the delegate alone', async () => {
  const charge = await anApprovedCharge(chain);
  const built = await chain.sellerPayments.buildX402Transfer(aTransfer(charge, { microUsdc: 60n }), charge.delegate);
  const { message, signatures } = parsed(built);
  const delegate = new PublicKey(charge.delegate.address);
  expect([message.version, message.addressTableLookups, message.header.numRequiredSignatures]).toEqual([0, [], 2]);
  expect(message.staticAccountKeys.slice(0, 2).map(String)).toEqual([facilitator.address, charge.delegate.address]);
  expect([signatures[0], signatures[1]]).toEqual([new Uint8Array(64), new Uint8Array(await charge.delegate.sign(message.serialize()))]);

  const [limit, price, transfer, memo, ...others] = instructionsOf(built) as [
    TransactionInstruction,
    TransactionInstruction,
    TransactionInstruction,
    TransactionInstruction,
  ];
  expect(others).toEqual([]);
  expect(ComputeBudgetInstruction.decodeSetComputeUnitLimit(limit).units).toBeLessThanOrEqual(20_000);
  expect(ComputeBudgetInstruction.decodeSetComputeUnitPrice(price).microLamports).toBeGreaterThanOrEqual(1n);
  const [source, mint, destination] = [charge.account.tokenAccount, chain.identity.usdcMint, seller.tokenAccount].map(
    (address) => new PublicKey(address),
  ) as [PublicKey, PublicKey, PublicKey];
  const expected = createTransferCheckedInstruction(source, mint, destination, delegate, 60n, 6);
  expect([transfer.programId, transfer.data, transfer.keys.map(({ pubkey }) => pubkey)]).toEqual([
    expected.programId,
    expected.data,
    expected.keys.map(({ pubkey }) => pubkey),
  ]);
  expect([memo.programId.toBase58(), memo.keys, memo.data.toString()]).toEqual([MEMO_PROGRAM, [], built.memo]);
  expect(built.memo).toMatch(/^[0-9a-f]{32}$/);
  expect(built.lastValidBlockHeight).toBeGreaterThan(await connection.getBlockHeight('confirmed'));
});

test('a facilitator settles an x402 transfer, and finish_charge counts it', async () => {
  const charge = await anApprovedCharge(chain);
  const before = await balanceOf(seller.tokenAccount);
  await settle(await chain.sellerPayments.buildX402Transfer(aTransfer(charge, { microUsdc: 60n }), charge.delegate));
  expect((await balanceOf(seller.tokenAccount)) - before).toBe(60n);
  expect(await chain.charges.finish(charge.account.address, 1n, authority)).toMatchObject({ spent: 60n, isExact: true });
});

test('a facilitator that is the seller settles an x402 transfer to itself', async () => {
  const charge = await anApprovedCharge(chain);
  const before = await balanceOf(seller.tokenAccount);
  await settle(await chain.sellerPayments.buildX402Transfer(aTransfer(charge, { feePayer: seller.address }), charge.delegate), seller);
  expect((await balanceOf(seller.tokenAccount)) - before).toBe(100n);
});

test('one delegate pays several times until its allowance is used up, and not once more', async () => {
  const charge = await anApprovedCharge(chain, { purse: true });
  const builds = await Promise.all(
    [30n, 30n, 30n, 20n].map((microUsdc) => chain.sellerPayments.buildX402Transfer(aTransfer(charge, { microUsdc }), charge.delegate)),
  );
  const before = await balanceOf(seller.tokenAccount);
  for (const built of builds.slice(0, 3)) await settle(built);
  await expect(settle(builds[3] as BuiltX402Transfer)).rejects.toThrow();
  await expect(chain.sellerPayments.buildX402Transfer(aTransfer(charge, { microUsdc: 11n }), charge.delegate)).rejects.toMatchObject({
    reason: 'payment_fails',
  });
  await settle(await chain.sellerPayments.buildX402Transfer(aTransfer(charge, { microUsdc: 10n }), charge.delegate));
  expect((await balanceOf(seller.tokenAccount)) - before).toBe(100n);
  expect(await chain.charges.finish(charge.account.address, 1n, authority)).toMatchObject({ spent: 100n });
});

test('movements name memo and delegate signature of each transfer, while the charge is open and after its end', async () => {
  const charge = await anApprovedCharge(chain, { purse: true });
  const span = { tokenAccount: charge.account.tokenAccount, delegate: charge.delegate.address, approval: null, end: null };
  expect((await chain.charges.movements(span)).movements).toEqual([]);
  const expected = [];
  for (const [microUsdc, memo] of [
    [1n, null],
    [2n, 'invoice — 7'],
    [2n, 'invoice — 7'],
  ] as const) {
    const built = await chain.sellerPayments.buildX402Transfer(aTransfer(charge, { microUsdc, memo }), charge.delegate);
    expect(memosOf(built)).toEqual([memo ?? built.memo]);
    expected.push({
      signature: await settle(built),
      microUsdc,
      destination: seller.tokenAccount,
      memo: built.memo,
      delegateSignature: built.delegateSignature,
      slot: expect.any(Number),
    });
  }
  expect(new Set(expected.map(({ delegateSignature }) => delegateSignature)).size).toBe(3);
  expect((await chain.charges.movements(span)).movements).toEqual(expected);
  const { signature: end } = await chain.charges.finish(charge.account.address, 1n, authority);
  expect((await chain.charges.movements({ ...span, end })).movements).toEqual(expected);
  expect((await chain.charges.movements({ ...span, approval: expected[1]?.signature ?? '' })).movements).toEqual(expected.slice(2));
});

test.each([
  ['no memo', []],
  ['two memos', ['one', 'two']],
])('a movement beside %s has none', async (_what, memos) => {
  const charge = await anApprovedCharge(chain);
  const [source, mint, destination] = [charge.account.tokenAccount, chain.identity.usdcMint, seller.tokenAccount].map(
    (address) => new PublicKey(address),
  ) as [PublicKey, PublicKey, PublicKey];
  const instructions = [
    createTransferCheckedInstruction(source, mint, destination, new PublicKey(charge.delegate.address), 5n, 6),
    ...memos.map((memo) => new TransactionInstruction({ programId: new PublicKey(MEMO_PROGRAM), keys: [], data: Buffer.from(memo) })),
  ];
  await send(local, instructions, facilitator.wallet, [charge.delegate]);
  const span = { tokenAccount: charge.account.tokenAccount, delegate: charge.delegate.address, approval: null, end: null };
  expect((await chain.charges.movements(span)).movements).toMatchObject([{ microUsdc: 5n, memo: null }]);
});

test('equal payments with the seller’s memo under one blockhash are different transactions', async () => {
  const charge = await anApprovedCharge(chain, { purse: true });
  const transfer = aTransfer(charge, { microUsdc: 1n, memo: 'shop' });
  const builds = await Promise.all(Array.from({ length: 5 }, () => chain.sellerPayments.buildX402Transfer(transfer, charge.delegate)));
  expect(new Set(builds.map(({ delegateSignature }) => delegateSignature)).size).toBe(5);
  for (const built of builds) expect(priceOf(built)).toBeLessThanOrEqual(1_000n);
});

test('the price for units is the configured one, and at most what facilitators take', async () => {
  const charge = await anApprovedCharge(chain);
  for (const [microLamportsPerComputeUnit, expected] of [
    [0n, 1n],
    [7n, 7n],
    [9_000_000n, 5_000_000n],
  ] as const) {
    const priced = await local.connect({ microLamportsPerComputeUnit });
    expect(priceOf(await priced.sellerPayments.buildX402Transfer(aTransfer(charge), charge.delegate))).toBe(expected);
    priced.close();
  }
});

test('the seller’s blockhash is used where our node knows it, and ours otherwise', async () => {
  const charge = await anApprovedCharge(chain);
  const { blockhash } = await connection.getLatestBlockhash('confirmed');
  const used = async (recentBlockhash: string) =>
    parsed(await chain.sellerPayments.buildX402Transfer(aTransfer(charge, { recentBlockhash }), charge.delegate)).message.recentBlockhash;
  expect(await used(blockhash)).toBe(blockhash);
  const unknown = LocalSigner.generate().signer.address;
  const ours = await used(unknown);
  expect([ours === unknown, (await connection.isBlockhashValid(ours, { commitment: 'confirmed' })).value]).toEqual([false, true]);
});

test.each<[string, (charge: ApprovedCharge) => Partial<X402Transfer>, string]>([
  ['to an owner without a token account', () => ({ payTo: LocalSigner.generate().signer.address }), 'payment_fails'],
  ['of more than the allowance', () => ({ microUsdc: 101n }), 'payment_fails'],
  ['with a memo of 257 bytes', () => ({ memo: 'x'.repeat(257) }), 'memo_too_long'],
  ['whose fee payer is the delegate', ({ delegate }) => ({ feePayer: delegate.address }), 'fee_payer_in_use'],
  ['whose fee payer is our token account', ({ account }) => ({ feePayer: account.tokenAccount }), 'fee_payer_in_use'],
  ['whose fee payer is the token program', () => ({ feePayer: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA' }), 'fee_payer_in_use'],
  ['whose fee payer is the account itself', ({ account }) => ({ feePayer: account.address }), 'fee_payer_in_use'],
  ['whose fee payer is our own', () => ({ feePayer: local.options.feePayer.address }), 'fee_payer_in_use'],
])('an x402 transfer %s is not signed', async (_what, change, reason) => {
  const charge = await anApprovedCharge(chain);
  await expect(chain.sellerPayments.buildX402Transfer(aTransfer(charge, change(charge)), charge.delegate)).rejects.toMatchObject({
    reason,
  });
});

test('an x402 transfer is checked without a delegate: to a payee with a token account, and to one without', async () => {
  const charge = await anApprovedCharge(chain);
  await expect(chain.sellerPayments.checkX402Transfer(aTransfer(charge))).resolves.toBeUndefined();
  const payTo = LocalSigner.generate().signer.address;
  await expect(chain.sellerPayments.checkX402Transfer(aTransfer(charge, { payTo }))).rejects.toMatchObject({ reason: 'payment_fails' });
});

test('a purse is held to max_session_cap, and a single charge is not', async () => {
  const [account, delegate] = [await anAccount(chain, 1_000n), LocalSigner.generate().signer.address];
  await chain.policies.change(account.address, { maxSessionCap: 99n }, 1n, operator);
  expect(await chain.charges.simulateApproval(aChargeOrder(account, delegate), 1n, 0)).toEqual({
    kind: 'allowed',
    policyVersion: expect.any(BigInt),
  });
  expect(await chain.charges.simulateApproval(aChargeOrder(account, delegate, { purse: true }), 1n, 0)).toMatchObject({
    kind: 'violation',
    violation: { rule: 'max_session_cap', limit: 99n, attempted: 100n },
  });
});
