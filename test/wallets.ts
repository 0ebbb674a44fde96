/** A wallet with an empty USDC token account, on the chain of a service. */
import { existsSync, readFileSync } from 'node:fs';
import { getOrCreateAssociatedTokenAccount } from '@solana/spl-token';
import { Connection, Keypair, PublicKey } from '@solana/web3.js';
import type { Sandbox } from './service';

/** The fee payer of the service, by its keypair or the file with it, pays the rent. */
export async function createAssociatedTokenAccount({ rpc_url, ws_url, usdc_mint }: Sandbox, feePayerKey: string): Promise<{ owner: string; tokenAccount: string }> {
  const connection = new Connection(rpc_url, { commitment: 'confirmed', wsEndpoint: ws_url });
  const numbers = JSON.parse(existsSync(feePayerKey) ? readFileSync(feePayerKey, 'utf8') : feePayerKey) as number[];
  const owner = Keypair.generate().publicKey;
  const { address } = await getOrCreateAssociatedTokenAccount(connection, Keypair.fromSecretKey(Uint8Array.from(numbers)), new PublicKey(usdc_mint), owner, true, 'confirmed');
  return { owner: owner.toBase58(), tokenAccount: address.toBase58() };
}
