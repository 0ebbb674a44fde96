/** Orders in transactions whose logs a thief of the authority key has filled, so that nodes cut the program's events off. */
import { createHash, randomBytes } from 'node:crypto';
import { PublicKey, Keypair, SystemProgram, type TransactionInstruction } from '@solana/web3.js';
import { LocalSigner } from '../src/tx/signing/signer';
import type { Chain } from '../src/chain';
import { Addresses, type AccountAddresses } from '../src/program/addresses';
import { instruction } from '../src/program/instruction';
import { toBn } from '../src/program/idl';
import { relayed, startLocalChain, type LocalChain } from './local-chain';
import { aProvider, anAccount, authority, send, type Provider } from './payer';

jest.setTimeout(60_000);

let local: LocalChain;
let chain: Chain;
let provider: Provider;
let addresses: Addresses;
let account: AccountAddresses;
beforeAll(async () => {
  local = await startLocalChain();
  ({ chain } = local);
  provider = await aProvider(local);
  addresses = new Addresses(new PublicKey(chain.identity.programId), new PublicKey(chain.identity.usdcMint));
});
afterAll(() => local.stop());
beforeEach(async () => void (account = await anAccount(chain, 1_000n)));

/** The accounts that every order has. */
function spender() {
  const address = new PublicKey(account.address);
  return {
    account: address,
    policy: addresses.policy(address),
    authority: new PublicKey(authority.address),
    token_account: new PublicKey(account.tokenAccount),
    mint: addresses.mint,
  };
}

/** Sends an instruction through the program that fills the logs. Returns the transaction's signature. */
const hide = (hidden: TransactionInstruction): Promise<string> => send(local, [relayed(hidden)], provider.wallet, [authority]);

test('findOrder returns a transfer whose event is cut off, with its id, amount, destination and category', async () => {
  const [id, memoHash] = [randomBytes(16), randomBytes(32)];
  const category = Buffer.alloc(32);
  category.write('data');
  const args = { seq: toBn(1n), transfer_id: [...id], amount: toBn(30n), category: [...category], memo_hash: [...memoHash] };
  const accounts = { ...spender(), destination: new PublicKey(provider.tokenAccount) };
  const signature = await hide(instruction(addresses.programId, 'transfer', accounts, { args }));
  expect(await chain.history.findOrder(account.address, 1n)).toMatchObject({
    kind: 'transfer',
    signature,
    id,
    microUsdc: 30n,
    destination: provider.tokenAccount,
    category: 'data',
    memoHash,
  });
  expect(await chain.history.changeIn(signature, provider.tokenAccount)).toMatchObject({ microUsdc: 30n, transfers: [{ id }] });
});

test('findOrder returns a purse whose event is cut off, and its approval has a deadline', async () => {
  const [id, delegate] = [randomBytes(16), LocalSigner.generate().signer];
  const args = { seq: toBn(1n), charge_id: [...id], amount: toBn(40n), category: null, expires_in_seconds: 600, purse: true };
  const accounts = { ...spender(), delegate: new PublicKey(delegate.address) };
  const signature = await hide(instruction(addresses.programId, 'approve_charge', accounts, { args }));
  expect(await chain.history.findOrder(account.address, 1n)).toMatchObject({
    kind: 'purse',
    id,
    microUsdc: 40n,
    delegate: delegate.address,
  });
  const { openCharge } = (await chain.accounts.find(account.address)) ?? {};
  expect(await chain.charges.approved(signature, id)).toEqual({ seq: 1n, deadline: openCharge?.deadline });
});

test('findOrder returns a session opening whose event is cut off, with what it was opened with', async () => {
  const [id, voucherKey] = [randomBytes(16), LocalSigner.generate().signer];
  const session = addresses.session(new PublicKey(account.address), 1n);
  const escrow = addresses.escrow(session.address);
  const payee = addresses.associated(new PublicKey(provider.address));
  const providerHash = createHash('sha256').update('https://provider.example').digest();
  const args = {
    seq: toBn(1n),
    session_id: [...id],
    provider_hash: [...providerHash],
    cap: toBn(100n),
    voucher_key: new PublicKey(voucherKey.address),
    category: null,
    expires_in_seconds: 3_600,
    grace_seconds: 60,
    session_bump: session.bump,
    escrow_bump: escrow.bump,
    payee_bump: payee.bump,
  };
  const accounts = {
    ...spender(),
    session: session.address,
    escrow: escrow.address,
    payer: provider.wallet.publicKey,
    payee: new PublicKey(provider.address),
    payee_token_account: payee.address,
  };
  const signature = await hide(instruction(addresses.programId, 'open_session', accounts, { args }));
  const opened = await chain.sessions.session(session.address.toBase58());
  expect(await chain.history.findOrder(account.address, 1n)).toMatchObject({
    kind: 'session',
    id,
    microUsdc: 100n,
    session: session.address.toBase58(),
    opening: {
      payee: provider.address,
      voucherKey: voucherKey.address,
      providerHash,
      openedAt: opened?.openedAt,
      expiresAt: opened?.expiresAt,
      graceSeconds: 60,
    },
  });
  expect(await chain.history.changeIn(signature, account.tokenAccount)).toMatchObject({ microUsdc: -100n, ours: -100n });
});

test('ordersIn returns nothing for a transaction that failed', async () => {
  const args = { seq: toBn(1n), transfer_id: [...randomBytes(16)], amount: toBn(2_000n), category: null, memo_hash: null };
  const accounts = { ...spender(), destination: new PublicKey(provider.tokenAccount) };
  const signed = await chain.orders.signTransfer(
    {
      ...account,
      destination: provider.tokenAccount,
      transferId: Uint8Array.from(args.transfer_id),
      microUsdc: 2_000n,
      category: null,
      memoHash: null,
      authority: accounts.authority.toBase58(),
      approvedBy: null,
    },
    1n,
    [authority],
  );
  expect(await chain.orders.settle(signed, 10_000)).toMatchObject({ kind: 'violation' });
  expect(await chain.history.ordersIn(signed.signature)).toEqual([]);
});

test('changeIn reads a transaction without an instruction of ours', async () => {
  const other = Keypair.generate().publicKey;
  const signature = await send(
    local,
    [SystemProgram.transfer({ fromPubkey: provider.wallet.publicKey, toPubkey: other, lamports: 1_000_000 })],
    provider.wallet,
  );
  expect(await chain.history.changeIn(signature, account.tokenAccount)).toMatchObject({ microUsdc: 0n, transfers: [], ours: 0n });
});
