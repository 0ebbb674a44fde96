/** Accounts on chain that are not the service's: wallets, mints, token accounts. */
import {
  MINT_SIZE,
  TOKEN_PROGRAM_ID,
  createAssociatedTokenAccountIdempotentInstruction,
  createFreezeAccountInstruction,
  createInitializeMint2Instruction,
  createMintToInstruction,
  createThawAccountInstruction,
  getAssociatedTokenAddressSync,
} from '@solana/spl-token';
import { Keypair, PublicKey, SystemProgram, Transaction, type TransactionInstruction } from '@solana/web3.js';
import { eventually } from './eventually';
import { settingsOf } from './operators';
import { sharedService, type Service } from './service';
import { rpc } from './world';

type Ground = Pick<Service, 'sandbox' | 'dataDir'>;

const LAMPORTS = 10_000_000;
const MINT_RENT = 1_461_600;

/** The service's fee payer, which has enough lamports for tests, and its mint authority, which may freeze. */
const keypair = (name: 'FEE_PAYER_KEY' | 'MINT_AUTHORITY_KEY', service: Ground): Keypair =>
  Keypair.fromSecretKey(Uint8Array.from(JSON.parse(settingsOf(service)[name] ?? '') as number[]));
const payer = (service: Ground = sharedService()): Keypair => keypair('FEE_PAYER_KEY', service);

/** An address that holds lamports and is not a token account. */
export async function aWallet(): Promise<string> {
  const { publicKey } = Keypair.generate();
  await execute([SystemProgram.transfer({ fromPubkey: payer().publicKey, toPubkey: publicKey, lamports: LAMPORTS })]);
  return publicKey.toBase58();
}

/** A worthless token. */
export async function aMint(): Promise<string> {
  const mint = Keypair.generate();
  await execute(
    [
      SystemProgram.createAccount({
        fromPubkey: payer().publicKey,
        newAccountPubkey: mint.publicKey,
        space: MINT_SIZE,
        lamports: MINT_RENT,
        programId: TOKEN_PROGRAM_ID,
      }),
      createInitializeMint2Instruction(mint.publicKey, 6, payer().publicKey, null),
    ],
    [mint],
  );
  return mint.publicKey.toBase58();
}

/** The token account of a stranger. Default: for USDC, of a new wallet. */
export async function aTokenAccountOf(
  mint = sharedService().sandbox.usdc_mint,
  wallet = Keypair.generate().publicKey.toBase58(),
): Promise<string> {
  const [owner, key] = [new PublicKey(wallet), new PublicKey(mint)];
  const address = getAssociatedTokenAddressSync(key, owner);
  await execute([createAssociatedTokenAccountIdempotentInstruction(payer().publicKey, address, owner, key)]);
  return address.toBase58();
}

/** Freezes an account of a service's USDC, as its issuer can. */
export const freeze = (tokenAccount: string, service: Ground = sharedService()): Promise<void> =>
  byIssuer(createFreezeAccountInstruction, tokenAccount, service);

export const thaw = (tokenAccount: string, service: Ground = sharedService()): Promise<void> =>
  byIssuer(createThawAccountInstruction, tokenAccount, service);

/** Mints USDC into a token account, which is created if it does not exist. */
export async function mintInto(
  { address, tokenAccount }: { address: string; tokenAccount: string },
  microUsdc: bigint,
  service: Ground = sharedService(),
): Promise<void> {
  const [authority, mint] = [keypair('MINT_AUTHORITY_KEY', service), new PublicKey(service.sandbox.usdc_mint)];
  const create = createAssociatedTokenAccountIdempotentInstruction(
    payer(service).publicKey,
    new PublicKey(tokenAccount),
    new PublicKey(address),
    mint,
  );
  await execute([create, createMintToInstruction(mint, new PublicKey(tokenAccount), authority.publicKey, microUsdc)], [authority], service);
}

async function byIssuer(instruction: typeof createFreezeAccountInstruction, tokenAccount: string, service: Ground): Promise<void> {
  const authority = keypair('MINT_AUTHORITY_KEY', service);
  await execute(
    [instruction(new PublicKey(tokenAccount), new PublicKey(service.sandbox.usdc_mint), authority.publicKey)],
    [authority],
    service,
  );
}

async function execute(instructions: TransactionInstruction[], signers: Keypair[] = [], service: Ground = sharedService()): Promise<void> {
  const url = service.sandbox.rpc_url;
  const { value } = await rpc('getLatestBlockhash', [{ commitment: 'confirmed' }], url);
  const transaction = new Transaction({
    feePayer: payer(service).publicKey,
    blockhash: value.blockhash,
    lastValidBlockHeight: value.lastValidBlockHeight,
  }).add(...instructions);
  transaction.sign(payer(service), ...signers);
  const signature = await rpc(
    'sendTransaction',
    [transaction.serialize().toString('base64'), { encoding: 'base64', preflightCommitment: 'confirmed' }],
    url,
  );
  await eventually(async () => {
    const [status] = (await rpc('getSignatureStatuses', [[signature]], url)).value;
    expect([status?.err, status?.confirmationStatus]).toEqual([null, expect.stringMatching(/confirmed|finalized/)]);
  });
}
