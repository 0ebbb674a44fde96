/** A wallet with an empty USDC token account, on the chain of a service. */
import { existsSync, readFileSync } from 'node:fs';
import { closeAccount, getOrCreateAssociatedTokenAccount } from '@solana/spl-token';
import { Connection, Keypair, PublicKey } from '@solana/web3.js';
import type { Sandbox } from './service';

export interface Wallet {
  owner: string;
  tokenAccount: string;
  /** Closes the token account, which must be empty. */
  close(): Promise<void>;
}

/** The fee payer of the service, by its keypair or the file with it, pays the rent. */
export async function createAssociatedTokenAccount({ rpc_url, ws_url, usdc_mint }: Sandbox, feePayerKey: string): Promise<Wallet> {
  const connection = new Connection(rpc_url, { commitment: 'confirmed', wsEndpoint: ws_url });
  const numbers = JSON.parse(existsSync(feePayerKey) ? readFileSync(feePayerKey, 'utf8') : feePayerKey) as number[];
  const [feePayer, owner] = [Keypair.fromSecretKey(Uint8Array.from(numbers)), Keypair.generate()];
  const { address } = await getOrCreateAssociatedTokenAccount(
    connection,
    feePayer,
    new PublicKey(usdc_mint),
    owner.publicKey,
    true,
    'confirmed',
  );
  const close = async (): Promise<void> =>
    void (await closeAccount(connection, feePayer, address, feePayer.publicKey, owner, [], { commitment: 'confirmed' }));
  return { owner: owner.publicKey.toBase58(), tokenAccount: address.toBase58(), close };
}
