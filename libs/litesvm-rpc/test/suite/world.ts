/** Shared by the chain suite: a chain, a payer with lamports, and a token of the payer. */
import { Keypair, PublicKey, SystemProgram, type TransactionInstruction } from '@solana/web3.js';
import { ChainClient, type Token } from '../chain-client';

export const MEMO_PROGRAM = new PublicKey('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');
export const INSUFFICIENT_FUNDS = { InstructionError: [0, { Custom: 1 }] };
export const FAR_SLOT = 1_000_000_000;
export const NEWEST = { commitment: 'confirmed', maxSupportedTransactionVersion: 0 } as const;

/** Filled before the first test. */
export class World {
  chain: ChainClient;
  payer: Keypair;
  token: Token;

  async open(urls: { rpcUrl: string; wsUrl: string }): Promise<void> {
    this.chain = new ChainClient(urls);
    this.payer = await this.chain.fundedPayer();
    this.token = await this.chain.token(this.payer);
  }

  /** An instruction that sends the payer's lamports. */
  transfer(toPubkey: PublicKey, lamports = 2_000_000): TransactionInstruction {
    return SystemProgram.transfer({ fromPubkey: this.payer.publicKey, toPubkey, lamports });
  }

  /** The token amount of an account. */
  async tokens(address: PublicKey): Promise<bigint> {
    return BigInt((await this.chain.connection.getTokenAccountBalance(address)).value.amount);
  }
}

export function newAddress(): PublicKey {
  return Keypair.generate().publicKey;
}
