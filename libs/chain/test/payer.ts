/** An account that pays, and a provider that is paid, on a local chain. */
import { randomBytes } from 'node:crypto';
import {
  createAssociatedTokenAccountIdempotentInstruction,
  createCloseAccountInstruction,
  getAssociatedTokenAddressSync,
} from '@solana/spl-token';
import { Connection, Keypair, LAMPORTS_PER_SOL, PublicKey, SystemProgram, Transaction, type TransactionInstruction } from '@solana/web3.js';
import { LocalSigner, type AccountAddresses, type Chain, type SignedVoucher } from '../src';
import type { LocalChain } from './local-chain';

export const operator = LocalSigner.generate().signer;
export const authority = LocalSigner.generate().signer;

export async function anAccount(chain: Chain, microUsdc = 0n): Promise<AccountAddresses> {
  const id = randomBytes(16);
  await chain.accounts.create({ id, operator: operator.address, authority: authority.address });
  const { address, tokenAccount } = chain.accounts.plan(id);
  if (microUsdc > 0n) await chain.mint(tokenAccount, microUsdc);
  return { address, tokenAccount };
}

export interface Provider {
  wallet: Keypair;
  signer: LocalSigner;
  address: string;
  tokenAccount: string;
}

/** A wallet with lamports and a token account of its own. */
export async function aProvider(local: LocalChain): Promise<Provider> {
  const { signer, seed } = LocalSigner.generate();
  const wallet = Keypair.fromSeed(seed);
  const connection = new Connection(local.rpcUrl, 'confirmed');
  await connection.requestAirdrop(wallet.publicKey, LAMPORTS_PER_SOL);
  const mint = new PublicKey(local.chain.identity.usdcMint);
  const tokenAccount = getAssociatedTokenAddressSync(mint, wallet.publicKey);
  await send(local, [createAssociatedTokenAccountIdempotentInstruction(wallet.publicKey, tokenAccount, wallet.publicKey, mint)], wallet);
  return { wallet, signer, address: signer.address, tokenAccount: tokenAccount.toBase58() };
}

/** Closes an empty token account. The provider gets the rent back; `left` lamports stay at its address. */
export async function closeTokenAccount(local: LocalChain, { wallet, tokenAccount }: Provider, left = 0): Promise<void> {
  const account = new PublicKey(tokenAccount);
  const close = createCloseAccountInstruction(account, wallet.publicKey, wallet.publicKey);
  await send(
    local,
    left > 0 ? [close, SystemProgram.transfer({ fromPubkey: wallet.publicKey, toPubkey: account, lamports: left })] : [close],
    wallet,
  );
}

/** Sends a transaction without the service, paid by a wallet of its own. */
export async function send(
  { rpcUrl }: LocalChain,
  instructions: TransactionInstruction[],
  wallet: Keypair,
  signers: LocalSigner[] = [],
): Promise<string> {
  const connection = new Connection(rpcUrl, 'confirmed');
  const { blockhash, lastValidBlockHeight } = await connection.getLatestBlockhash('confirmed');
  const transaction = new Transaction({ feePayer: wallet.publicKey, blockhash, lastValidBlockHeight }).add(...instructions);
  transaction.partialSign(wallet);
  for (const signer of signers)
    transaction.addSignature(new PublicKey(signer.address), Buffer.from(await signer.sign(transaction.serializeMessage())));
  return connection.sendRawTransaction(transaction.serialize());
}

/** A voucher as `libs/mpp` builds it: 50 bytes and their signature. */
export async function aVoucher(session: string, cumulative: bigint, key: LocalSigner): Promise<SignedVoucher> {
  const message = Buffer.alloc(50);
  message.set([0x56, 0x01]);
  message.set(new PublicKey(session).toBytes(), 2);
  message.writeBigUInt64LE(cumulative, 34);
  return { message, signature: await key.sign(message) };
}
