/** Test money on a local chain: lamports for the fee payer, and a mint in place of USDC. */
import { setTimeout } from 'node:timers/promises';
import { MINT_SIZE, TOKEN_PROGRAM_ID, createInitializeMint2Instruction } from '@solana/spl-token';
import { Connection, LAMPORTS_PER_SOL, PublicKey, SystemProgram } from '@solana/web3.js';
import type { Signer } from './tx/signer';
import { Blockhashes } from './rpc/blockhashes';
import { Confirmations } from './tx/confirm';
import { Rpc } from './rpc/client';
import { signTransaction } from './tx/build';

const DECIMALS = 6;
const WANTED_LAMPORTS = 1_000 * LAMPORTS_PER_SOL;
const COMPUTE_UNITS = 10_000;
const TIMEOUT_MS = 30_000;
const POLL_MS = 200;

/** Funds the fee payer by airdrop and creates the mint, unless that was done before. Repeating it is harmless. */
export async function createTestMint(options: { rpcUrl: string; feePayer: Signer; mint: Signer; mintAuthority: string }): Promise<void> {
  const { rpcUrl, feePayer, mint, mintAuthority } = options;
  const rpc = new Rpc({ urls: [rpcUrl], commitment: 'confirmed', timeoutMs: TIMEOUT_MS });
  const confirmations = new Confirmations(rpc, 'confirmed');
  const connection = new Connection(rpcUrl, 'confirmed');
  const payerKey = new PublicKey(feePayer.address);
  const mintKey = new PublicKey(mint.address);

  if ((await connection.getBalance(payerKey)) < WANTED_LAMPORTS / 2) await airdrop(connection, payerKey);
  if (await connection.getAccountInfo(mintKey)) return;
  const instructions = [
    SystemProgram.createAccount({
      fromPubkey: payerKey,
      newAccountPubkey: mintKey,
      space: MINT_SIZE,
      lamports: await connection.getMinimumBalanceForRentExemption(MINT_SIZE),
      programId: TOKEN_PROGRAM_ID,
    }),
    createInitializeMint2Instruction(mintKey, DECIMALS, new PublicKey(mintAuthority), new PublicKey(mintAuthority)),
  ];
  const draft = { instructions, feePayer: payerKey, computeUnits: COMPUTE_UNITS, microLamportsPerUnit: 0n };
  const landing = await confirmations.settle(
    await signTransaction(draft, await new Blockhashes(rpc).recent(), [feePayer, mint]),
    TIMEOUT_MS,
  );
  if (landing.kind !== 'landed' || landing.error) throw new Error(`the test mint could not be created: ${JSON.stringify(landing)}`);
  await until(async () => (await connection.getAccountInfo(mintKey)) !== null, 'the test mint was created and is not shown');
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
