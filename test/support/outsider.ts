/** A party with a wallet and test USDC, unknown to the service. */
import { existsSync, readFileSync } from 'node:fs';
import {
  createMint,
  createMultisig,
  createTransferCheckedInstruction,
  getOrCreateAssociatedTokenAccount,
  mintTo,
  transferChecked,
} from '@solana/spl-token';
import { Connection, Keypair, PublicKey, Transaction, sendAndConfirmTransaction } from '@solana/web3.js';
import { eventually } from './eventually';
import { settingsOf } from './operators';
import { sharedService } from './service';

const DECIMALS = 6;
const LAMPORTS = 1_000_000_000;
const FINALIZED_TIMEOUT_MS = 40_000;

export interface Outsider {
  /** Its wallet. */
  owner: string;
  /** Its token account for USDC. */
  tokenAccount: string;
  /** Sends micro-USDC in one transaction, one instruction per amount, and returns the signature. */
  send(to: string, ...microUsdc: bigint[]): Promise<string>;
  /** One such transaction, signed and not sent, in base64. */
  sign(to: string, microUsdc: bigint): Promise<string>;
  /** Mints micro-USDC into a token account. */
  mint(to: string, microUsdc: bigint): Promise<string>;
  /** Sends micro-USDC from a multisig of two of three. */
  sendTogether(to: string, microUsdc: bigint): Promise<string>;
  /** Creates a token account of another mint for an owner, with money in it. */
  giveOtherMoney(owner: string): Promise<string>;
}

export async function anOutsider(): Promise<Outsider> {
  const service = sharedService();
  const { sandbox } = service;
  const connection = new Connection(sandbox.rpc_url, { commitment: 'confirmed', wsEndpoint: sandbox.ws_url });
  const wallet = Keypair.generate();
  await connection.requestAirdrop(wallet.publicKey, LAMPORTS);
  while ((await connection.getBalance(wallet.publicKey)) === 0) await new Promise((resolve) => setTimeout(resolve, 50));
  const mint = new PublicKey(sandbox.usdc_mint);
  const authority = Keypair.fromSecretKey(keyOf(settingsOf(service).MINT_AUTHORITY_KEY ?? ''));
  const own = await getOrCreateAssociatedTokenAccount(connection, wallet, mint, wallet.publicKey, false, 'confirmed');
  await mintTo(connection, wallet, mint, own.address, authority, 1_000_000_000n, [], { commitment: 'confirmed' });
  return {
    owner: wallet.publicKey.toBase58(),
    tokenAccount: own.address.toBase58(),
    send: (to, ...microUsdc) => {
      const transfers = microUsdc.map((amount) =>
        createTransferCheckedInstruction(own.address, mint, new PublicKey(to), wallet.publicKey, amount, DECIMALS),
      );
      return sendAndConfirmTransaction(connection, new Transaction().add(...transfers), [wallet], { commitment: 'confirmed' });
    },
    sign: async (to, microUsdc) => {
      // The stock server of @solana/mpp simulates on the finalized state: money and blockhash must be there already.
      await eventually(async () => expect((await connection.getTokenAccountBalance(own.address, 'finalized')).value.amount).not.toBe('0'), {
        timeoutMs: FINALIZED_TIMEOUT_MS,
      });
      const { blockhash } = await connection.getLatestBlockhash('finalized');
      const transaction = new Transaction({ feePayer: wallet.publicKey, recentBlockhash: blockhash }).add(
        createTransferCheckedInstruction(own.address, mint, new PublicKey(to), wallet.publicKey, microUsdc, DECIMALS),
      );
      transaction.sign(wallet);
      return transaction.serialize().toString('base64');
    },
    mint: (to, microUsdc) => mintTo(connection, wallet, mint, new PublicKey(to), authority, microUsdc, [], { commitment: 'confirmed' }),
    sendTogether: async (to, microUsdc) => {
      const owners = [1, 2, 3].map(() => Keypair.generate());
      const multisig = await createMultisig(
        connection,
        wallet,
        owners.map(({ publicKey }) => publicKey),
        2,
        Keypair.generate(),
        { commitment: 'confirmed' },
      );
      const common = await getOrCreateAssociatedTokenAccount(connection, wallet, mint, multisig, true, 'confirmed');
      await mintTo(connection, wallet, mint, common.address, authority, microUsdc, [], { commitment: 'confirmed' });
      return transferChecked(
        connection,
        wallet,
        common.address,
        mint,
        new PublicKey(to),
        multisig,
        microUsdc,
        DECIMALS,
        owners.slice(0, 2),
        { commitment: 'confirmed' },
      );
    },
    giveOtherMoney: async (owner) => {
      const other = await createMint(connection, wallet, wallet.publicKey, null, DECIMALS, Keypair.generate(), { commitment: 'confirmed' });
      const account = await getOrCreateAssociatedTokenAccount(connection, wallet, other, new PublicKey(owner), true, 'confirmed');
      return mintTo(connection, wallet, other, account.address, wallet, 5_000_000n, [], { commitment: 'confirmed' });
    },
  };
}

/** A keypair file's content, or the content itself. */
function keyOf(setting: string): Uint8Array {
  return Uint8Array.from(JSON.parse(existsSync(setting) ? readFileSync(setting, 'utf8') : setting) as number[]);
}
