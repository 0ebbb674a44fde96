/** Test money on a local chain: lamports for the fee payer, and a mint in place of USDC. */
import { setTimeout } from 'node:timers/promises';
import {
  MINT_SIZE,
  TOKEN_PROGRAM_ID,
  createAssociatedTokenAccountIdempotentInstruction,
  createInitializeMint2Instruction,
  getAssociatedTokenAddressSync,
} from '@solana/spl-token';
import { Connection, LAMPORTS_PER_SOL, PublicKey, SystemProgram, type TransactionInstruction } from '@solana/web3.js';
import { TREASURY } from './channels/payment-channels';
import type { Signer } from './tx/signing/signer';
import { Blockhashes } from './rpc/blockhashes';
import { Confirmations } from './tx/confirm';
import { Rpc } from './rpc/client';
import { signTransaction } from './tx/build';

const DECIMALS = 6;
const WANTED_LAMPORTS = 1_000 * LAMPORTS_PER_SOL;
const COMPUTE_UNITS = 60_000;
const TIMEOUT_MS = 30_000;
const POLL_MS = 200;

interface TestMint {
  rpcUrl: string;
  feePayer: Signer;
  mint: Signer;
  mintAuthority: string;
}

/**
 * Funds the fee payer by airdrop, creates the mint, and its token account of the treasury of payment-channels, without which no channel
 * ends; unless that was done before. Repeating it is harmless. Returns the address of the treasury's token account, base58.
 */
export async function createTestMint({ rpcUrl, feePayer, mint, mintAuthority }: TestMint): Promise<string> {
  const rpc = new Rpc({ urls: [rpcUrl], commitment: 'confirmed', timeoutMs: TIMEOUT_MS });
  const confirmations = new Confirmations(rpc, 'confirmed');
  const connection = new Connection(rpcUrl, 'confirmed');
  const payerKey = new PublicKey(feePayer.address);
  const mintKey = new PublicKey(mint.address);
  const treasury = getAssociatedTokenAddressSync(mintKey, TREASURY, true);

  const create = async (account: PublicKey, instructions: TransactionInstruction[], signers: Signer[]): Promise<void> => {
    if (await connection.getAccountInfo(account)) return;
    const draft = { instructions, feePayer: payerKey, computeUnits: COMPUTE_UNITS, microLamportsPerUnit: 0n };
    const landing = await confirmations.settle(await signTransaction(draft, await new Blockhashes(rpc).recent(), signers), TIMEOUT_MS);
    if (landing.kind !== 'landed' || landing.error)
      throw new Error(`${account.toBase58()} could not be created: ${JSON.stringify(landing)}`);
    await until(async () => (await connection.getAccountInfo(account)) !== null, `${account.toBase58()} was created and is not shown`);
  };

  if ((await connection.getBalance(payerKey)) < WANTED_LAMPORTS / 2) await airdrop(connection, payerKey);
  const created = SystemProgram.createAccount({
    fromPubkey: payerKey,
    newAccountPubkey: mintKey,
    space: MINT_SIZE,
    lamports: await connection.getMinimumBalanceForRentExemption(MINT_SIZE),
    programId: TOKEN_PROGRAM_ID,
  });
  const authority = new PublicKey(mintAuthority);
  await create(mintKey, [created, createInitializeMint2Instruction(mintKey, DECIMALS, authority, authority)], [feePayer, mint]);
  await create(treasury, [createAssociatedTokenAccountIdempotentInstruction(payerKey, treasury, TREASURY, mintKey)], [feePayer]);
  return treasury.toBase58();
}

async function airdrop(connection: Connection, to: PublicKey): Promise<void> {
  await connection.requestAirdrop(to, WANTED_LAMPORTS);
  await until(async () => (await connection.getBalance(to)) >= WANTED_LAMPORTS, `the airdrop of ${WANTED_LAMPORTS} lamports did not land`);
}

/** Polls, because a slow node confirms a transaction before its reads show it. Throws after the time-out. */
async function until(isTrue: () => Promise<boolean>, otherwise: string): Promise<void> {
  for (const deadline = performance.now() + TIMEOUT_MS; performance.now() < deadline; await setTimeout(POLL_MS)) if (await isTrue()) return;
  throw new Error(otherwise);
}
