/** Things on chain that are not the service's: wallets, mints, token accounts. */
import { MINT_SIZE, TOKEN_PROGRAM_ID, createAssociatedTokenAccountIdempotentInstruction, createFreezeAccountInstruction, createInitializeMint2Instruction, createThawAccountInstruction, getAssociatedTokenAddressSync } from '@solana/spl-token';
import { Keypair, PublicKey, SystemProgram, Transaction, type TransactionInstruction } from '@solana/web3.js';
import { eventually } from './eventually';
import { settingsOf } from './operators';
import { sharedService } from './service';
import { rpc } from './world';

const LAMPORTS = 10_000_000;
const MINT_RENT = 1_461_600;

/** The service's fee payer has lamports enough for a test, and its mint's authority may freeze. */
const keypair = (name: 'FEE_PAYER_KEY' | 'MINT_AUTHORITY_KEY'): Keypair => Keypair.fromSecretKey(Uint8Array.from(JSON.parse(settingsOf(sharedService())[name] ?? '') as number[]));
const payer = (): Keypair => keypair('FEE_PAYER_KEY');

/** An address that holds lamports and is no token account. */
export async function aWallet(): Promise<string> {
  const { publicKey } = Keypair.generate();
  await execute([SystemProgram.transfer({ fromPubkey: payer().publicKey, toPubkey: publicKey, lamports: LAMPORTS })]);
  return publicKey.toBase58();
}

/** A token of no value. */
export async function aMint(): Promise<string> {
  const mint = Keypair.generate();
  await execute(
    [
      SystemProgram.createAccount({ fromPubkey: payer().publicKey, newAccountPubkey: mint.publicKey, space: MINT_SIZE, lamports: MINT_RENT, programId: TOKEN_PROGRAM_ID }),
      createInitializeMint2Instruction(mint.publicKey, 6, payer().publicKey, null),
    ],
    [mint],
  );
  return mint.publicKey.toBase58();
}

/** The token account of somebody outside of the service: for USDC, unless another mint is given, and of a new wallet, unless one is named. */
export async function aTokenAccountOf(mint = sharedService().sandbox.usdc_mint, wallet = Keypair.generate().publicKey.toBase58()): Promise<string> {
  const [owner, key] = [new PublicKey(wallet), new PublicKey(mint)];
  const address = getAssociatedTokenAddressSync(key, owner);
  await execute([createAssociatedTokenAccountIdempotentInstruction(payer().publicKey, address, owner, key)]);
  return address.toBase58();
}

/** Freezes an account of USDC, as its issuer can. */
export async function freeze(tokenAccount: string): Promise<void> {
  const authority = keypair('MINT_AUTHORITY_KEY');
  await execute([createFreezeAccountInstruction(new PublicKey(tokenAccount), new PublicKey(sharedService().sandbox.usdc_mint), authority.publicKey)], [authority]);
}

export async function thaw(tokenAccount: string): Promise<void> {
  const authority = keypair('MINT_AUTHORITY_KEY');
  await execute([createThawAccountInstruction(new PublicKey(tokenAccount), new PublicKey(sharedService().sandbox.usdc_mint), authority.publicKey)], [authority]);
}

async function execute(instructions: TransactionInstruction[], signers: Keypair[] = []): Promise<void> {
  const { value } = await rpc('getLatestBlockhash', [{ commitment: 'confirmed' }]);
  const transaction = new Transaction({ feePayer: payer().publicKey, blockhash: value.blockhash, lastValidBlockHeight: value.lastValidBlockHeight }).add(...instructions);
  transaction.sign(payer(), ...signers);
  const signature = await rpc('sendTransaction', [transaction.serialize().toString('base64'), { encoding: 'base64', preflightCommitment: 'confirmed' }]);
  await eventually(async () => {
    const [status] = (await rpc('getSignatureStatuses', [[signature]])).value;
    expect([status?.err, status?.confirmationStatus]).toEqual([null, expect.stringMatching(/confirmed|finalized/)]);
  });
}
