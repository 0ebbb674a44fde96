/** Transactions for an operator's own key, from the chain library to the client that reads, checks and signs them. */
import { randomBytes } from 'node:crypto';
import { createAssociatedTokenAccountIdempotentInstruction } from '@solana/spl-token';
import { PublicKey } from '@solana/web3.js';
import { addSignature, verifySignatureRequest } from '#client';
import {
  acceptanceText,
  ExternalSigner,
  LocalSigner,
  SignatureRequiredError,
  type Chain,
  type HeldSignature,
  type SignedTransaction,
} from '../src';
import { signatureOf } from '../src/tx/signing/external-signer';
import { aChargeOrder } from './approved-charge';
import { startLocalChain, type LocalChain } from './local-chain';
import { aProvider, anAccount, authority, operator, send, type Provider } from './payer';

jest.setTimeout(60_000);

/** More than any action here takes. */
const MAX_SIGNATURES = 20;

let local: LocalChain;
let chain: Chain;
let provider: Provider;
beforeAll(async () => {
  local = await startLocalChain();
  ({ chain } = local);
  provider = await aProvider(local);
});
afterAll(() => local.stop());

/** Runs an action as an operator who reads, checks and signs each transaction. Returns its result, and the sentences of each one. */
async function signedBy<T>(key: LocalSigner, run: (signer: ExternalSigner) => Promise<T>): Promise<{ result: T; read: string[][] }> {
  const read: string[][] = [];
  let held: HeldSignature | null = null;
  for (let count = 0; count < MAX_SIGNATURES; count++) {
    try {
      return { result: await run(new ExternalSigner(key.address, held)), read };
    } catch (error) {
      if (!(error instanceof SignatureRequiredError)) throw error;
      const transaction = Buffer.from(error.transaction.bytes).toString('base64');
      const { sentences, message } = verifySignatureRequest(
        { transaction },
        { chainKey: key.address, programId: chain.identity.programId },
      );
      const signed = Buffer.from(addSignature(transaction, key.address, await key.sign(message)), 'base64');
      held = { transaction: error.transaction, signature: signatureOf(signed, error.transaction, key.address) };
      read.push(sentences);
    }
  }
  throw new Error('it takes too many signatures');
}

/** The only sentence of the only transaction. */
async function sentenceOf<T>(run: (signer: ExternalSigner) => Promise<T>): Promise<string> {
  const { read } = await signedBy(operator, run);
  expect(read).toEqual([[expect.any(String)]]);
  return read[0]?.[0] ?? '';
}

const landed = async (order: Promise<SignedTransaction>): Promise<void> =>
  expect(await chain.orders.settle(await order, 10_000)).toMatchObject({ kind: 'landed' });
const aKey = (): LocalSigner => LocalSigner.generate().signer;

test('a policy change is read as it lands', async () => {
  const { address } = await anAccount(chain);
  const change = {
    maxSingleTransfer: 5_000_000n,
    maxDailySpend: 25_500_000n,
    allowedCounterparties: [provider.address],
    requireMemo: false,
  };
  expect(await sentenceOf((signer) => chain.policies.change(address, change, 1n, signer))).toBe(
    `Sets the policy of the account or fleet ${address}: max_single_transfer 5.000000 USDC, max_daily_spend 25.500000 USDC, ` +
      `allowed_counterparties only ${provider.address}, require_memo false; from version 1.`,
  );
  expect(await chain.policies.findMany([address])).toMatchObject([{ ...change, version: 2n }]);
  expect(await sentenceOf((signer) => chain.policies.change(address, { paused: true }, 2n, signer))).toBe(
    `Sets the policy of the account or fleet ${address}: paused true; from any version.`,
  );
});

test('each transaction of a long list is read: its begin, every entry, and the change that puts it in force', async () => {
  const { address } = await anAccount(chain);
  const allowedCounterparties = Array.from({ length: 30 }, () => aKey().address);
  const change = { allowedCounterparties, categories: ['food'], maxDailySpend: null };
  const { read } = await signedBy(operator, (signer) => chain.policies.change(address, change, 1n, signer));
  const sentences = read.flat();
  const [, draft = ''] = /Begins the draft (\w+) /.exec(sentences[0] ?? '') ?? [];
  expect(sentences[0]).toContain(`for version 2 of the policy of the account or fleet ${address}: 30 counterparties and 1 categories.`);
  const writes = sentences.slice(1, -1).join();
  for (const entry of [...allowedCounterparties, '"food"']) expect(writes).toContain(entry);
  expect(sentences.at(-1)).toBe(
    `Sets the policy of the account or fleet ${address}: max_daily_spend no limit, allowed_counterparties only those of the draft ${draft}, ` +
      `categories only those of the draft ${draft}; from version 1.`,
  );
  expect(await chain.policies.findMany([address])).toMatchObject([
    { allowedCounterparties: expect.arrayContaining(allowedCounterparties), categories: ['food'] },
  ]);
});

test('the approvals of a transfer, a session, its top-up and a purse are read as they land', async () => {
  const account = await anAccount(chain, 1_000_000n);
  const approved = { ...account, authority: authority.address, approvedBy: operator.address };
  const transfer = {
    ...approved,
    destination: provider.tokenAccount,
    transferId: randomBytes(16),
    microUsdc: 300_000n,
    category: 'food',
    memoHash: null,
  };
  expect(await sentenceOf((signer) => landed(chain.orders.signTransfer(transfer, 1n, [authority, signer])))).toBe(
    `Approves a transfer of 0.300000 USDC from account ${account.address} to the token account ${provider.tokenAccount} in the category "food".`,
  );
  const voucherKey = aKey().address;
  const opening = {
    ...approved,
    sessionId: randomBytes(16),
    providerHash: randomBytes(32),
    payee: provider.address,
    cap: 100_000n,
    category: null,
  };
  const times = { voucherKey, expiresInSeconds: 600, graceSeconds: 0 };
  expect(await sentenceOf((signer) => landed(chain.sessions.signOpen({ ...opening, ...times }, 2n, [authority, signer])))).toBe(
    `Approves a session of at most 0.100000 USDC from account ${account.address} to ${provider.address} (token account ${provider.tokenAccount}), ` +
      `for 600 s and 0 s of grace; the key ${voucherKey} signs its payments.`,
  );
  const { address: session } = chain.sessions.plan(account.address, 2n);
  const topUp = { ...approved, session, topUpId: randomBytes(16), microUsdc: 50_000n };
  expect(await sentenceOf((signer) => landed(chain.sessions.signTopUp(topUp, 3n, [authority, signer])))).toBe(
    `Approves adding 0.050000 USDC to the session ${session} of account ${account.address}.`,
  );
  const purse = aChargeOrder(account, aKey().address, { approvedBy: operator.address, purse: true, microUsdc: 7n });
  expect(await sentenceOf((signer) => landed(chain.charges.signApproval(purse, 4n, [authority, signer])))).toBe(
    `Approves that the key ${purse.delegate} moves at most 0.000007 USDC out of account ${account.address}, to any recipient, ` +
      'in many payments (a purse), for 600 s.',
  );
});

test('a new authority key, a closing and a sweep are read as they land', async () => {
  const account = await anAccount(chain, 1_000n);
  const next = aKey().address;
  expect(await sentenceOf((signer) => chain.administration.rotateAuthority(account.address, next, signer))).toContain(
    `Gives account ${account.address} the authority key ${next}`,
  );
  const found = await chain.accounts.find(account.address);
  if (!found) throw new Error('the account is gone');
  expect(await sentenceOf((signer) => chain.administration.closeAccount(found, provider.tokenAccount, signer))).toBe(
    `Closes account ${account.address} for ever. Its balance moves to the token account ${provider.tokenAccount}; its rent goes to ${found.creator}.`,
  );
  const payer = provider.wallet.publicKey;
  const [owner, tokenAccount] = [new PublicKey(account.address), new PublicKey(account.tokenAccount)];
  const mint = new PublicKey(chain.identity.usdcMint);
  await send(local, [createAssociatedTokenAccountIdempotentInstruction(payer, tokenAccount, owner, mint)], provider.wallet);
  await chain.mint(account.tokenAccount, 5n);
  const sweep = (signer: ExternalSigner) =>
    chain.administration.sweepClosed({ creator: found.creator, id: found.id }, provider.tokenAccount, async () => signer);
  expect(await sentenceOf(sweep)).toBe(
    `Moves all that has arrived at ${account.tokenAccount}, the token account of the closed account ${account.address}, ` +
      `to the token account ${provider.tokenAccount}.`,
  );
});

test('handing accounts to a key that accepted them, or that signs too, is read account by account', async () => {
  const accounts = [await anAccount(chain), await anAccount(chain)].map(({ address }) => address);
  const [held, served] = [aKey(), aKey()];
  const text = acceptanceText(operator.address, randomBytes(16));
  const acceptance = { address: held.address, text, signature: await held.sign(Buffer.from(text)) };
  const handed = (to: string): string[] => accounts.map((address) => `Hands account ${address} over to the operator key ${to}.`);
  const first = await signedBy(operator, (signer) => chain.administration.setOperator(accounts, signer, acceptance));
  expect(first.read).toEqual([
    [`Proves that the key ${held.address} has accepted the accounts of ${operator.address}.`, ...handed(held.address)],
  ]);
  const second = await signedBy(held, (signer) => chain.administration.setOperator(accounts, signer, served));
  expect(second.read).toEqual([handed(served.address)]);
  expect(await chain.accounts.find(accounts[1] ?? '')).toMatchObject({ controller: served.address });
});
