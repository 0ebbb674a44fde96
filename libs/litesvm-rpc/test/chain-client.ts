/** A client for the chain tests: fund, sign, send, request. */
import {
  createAssociatedTokenAccountIdempotentInstruction,
  createInitializeMint2Instruction,
  createMintToInstruction,
  createTransferCheckedInstruction,
  getAssociatedTokenAddressSync,
  MINT_SIZE,
  TOKEN_PROGRAM_ID,
} from '@solana/spl-token';
import { Connection, Keypair, LAMPORTS_PER_SOL, PublicKey, SystemProgram, Transaction, type TransactionInstruction } from '@solana/web3.js';
import bs58 from 'bs58';

const MINT_RENT = 1_461_600;
export const DECIMALS = 6;

export interface RpcAnswer {
  result?: any;
  error?: { code: number; message: string; data?: any };
}

/** A signed transaction in the forms that tests need. */
export interface Signed {
  signature: string;
  bytes: Buffer;
  base64: string;
}

/** A token of a payer, and two accounts of it: the payer's holds `supply`, the other is empty. */
export interface Token {
  mint: PublicKey;
  from: PublicKey;
  to: PublicKey;
  toOwner: PublicKey;
  supply: bigint;
  transfer(amount: bigint): TransactionInstruction;
}

export class ChainClient {
  readonly connection: Connection;

  constructor(readonly urls: { rpcUrl: string; wsUrl: string }) {
    this.connection = new Connection(urls.rpcUrl, { commitment: 'confirmed', wsEndpoint: urls.wsUrl });
  }

  /** Closes web3.js's connection, which would reconnect forever. */
  close(): void {
    const socket = (this.connection as any)._rpcWebSocket;
    socket.setAutoReconnect(false);
    socket.close();
  }

  /** One JSON-RPC call. Returns the response unchecked. */
  async call(method: string, ...params: unknown[]): Promise<RpcAnswer> {
    return (await this.post(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))) as RpcAnswer;
  }

  async post(body: string): Promise<unknown> {
    const response = await fetch(this.urls.rpcUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    return response.json();
  }

  async fundedPayer(sol = 10): Promise<Keypair> {
    const payer = Keypair.generate();
    await this.confirmed(await this.connection.requestAirdrop(payer.publicKey, sol * LAMPORTS_PER_SOL));
    return payer;
  }

  async sign(
    payer: Keypair,
    instructions: TransactionInstruction[],
    options: { signers?: Keypair[]; blockhash?: string } = {},
  ): Promise<Signed> {
    const transaction = new Transaction();
    transaction.add(...instructions);
    transaction.feePayer = payer.publicKey;
    transaction.recentBlockhash = options.blockhash ?? (await this.connection.getLatestBlockhash()).blockhash;
    transaction.sign(payer, ...(options.signers ?? []));
    const bytes = transaction.serialize();
    return { signature: bs58.encode(transaction.signature!), bytes, base64: bytes.toString('base64') };
  }

  send(signed: Signed, options: Record<string, unknown> = {}): Promise<RpcAnswer> {
    return this.call('sendTransaction', signed.base64, {
      encoding: 'base64',
      preflightCommitment: 'confirmed',
      ...options,
    });
  }

  simulate(signed: Signed, options: Record<string, unknown> = {}): Promise<RpcAnswer> {
    return this.call('simulateTransaction', signed.base64, { encoding: 'base64', commitment: 'confirmed', ...options });
  }

  /** Signs, sends and waits until it has landed; throws if it failed. */
  async land(payer: Keypair, instructions: TransactionInstruction[], options: { signers?: Keypair[] } = {}): Promise<Signed> {
    const signed = await this.sign(payer, instructions, options);
    const { error } = await this.send(signed);
    if (error) throw new Error(JSON.stringify(error));
    await this.confirmed(signed.signature);
    return signed;
  }

  async confirmed(signature: string): Promise<void> {
    await eventually(async () => {
      const { value } = await this.connection.getSignatureStatus(signature);
      expect(['confirmed', 'finalized']).toContain(value?.confirmationStatus);
    });
  }

  async statusOf(signature: string): Promise<any> {
    return (await this.call('getSignatureStatuses', [signature])).result.value[0];
  }

  async token(payer: Keypair, supply = 1_000_000n): Promise<Token> {
    const mint = Keypair.generate();
    const toOwner = Keypair.generate().publicKey;
    const from = getAssociatedTokenAddressSync(mint.publicKey, payer.publicKey);
    const to = getAssociatedTokenAddressSync(mint.publicKey, toOwner);
    const space = { space: MINT_SIZE, lamports: MINT_RENT, programId: TOKEN_PROGRAM_ID };
    const account = (address: PublicKey, owner: PublicKey) =>
      createAssociatedTokenAccountIdempotentInstruction(payer.publicKey, address, owner, mint.publicKey);
    const instructions = [
      SystemProgram.createAccount({ fromPubkey: payer.publicKey, newAccountPubkey: mint.publicKey, ...space }),
      createInitializeMint2Instruction(mint.publicKey, DECIMALS, payer.publicKey, null),
      account(from, payer.publicKey),
      account(to, toOwner),
      createMintToInstruction(mint.publicKey, from, payer.publicKey, supply),
    ];
    await this.land(payer, instructions, { signers: [mint] });
    const transfer = (amount: bigint) => createTransferCheckedInstruction(from, mint.publicKey, to, payer.publicKey, amount, DECIMALS);
    return { mint: mint.publicKey, from, to, toOwner, supply, transfer };
  }
}

/** Tries until it passes. */
export async function eventually(attempt: () => Promise<void>, timeoutMs = 20_000): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }
}
