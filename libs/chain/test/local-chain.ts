/** An embedded chain with the program and a test mint, and a `Chain` on it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PublicKey, TransactionInstruction } from '@solana/web3.js';
import { startEmbeddedChain } from '#litesvm-rpc';
import {
  Chain,
  LocalSigner,
  PAYMENT_CHANNELS_ADDRESS,
  PAYMENT_CHANNELS_FILE,
  PROGRAM_ADDRESS,
  PROGRAM_FILE,
  createTestMint,
  type ChainOptions,
} from '../src';

/** A stranger's program (`relay-program/`): fills the logs until nodes truncate them, then calls the program that is its last account. */
const RELAY = LocalSigner.generate().signer.address;

/** An instruction as a stranger's program passes it on. */
export function relayed({ programId, keys, data }: TransactionInstruction): TransactionInstruction {
  return new TransactionInstruction({
    programId: new PublicKey(RELAY),
    keys: [...keys, { pubkey: programId, isSigner: false, isWritable: false }],
    data,
  });
}

export interface LocalChain {
  chain: Chain;
  rpcUrl: string;
  options: ChainOptions;
  /** Another `Chain` on the same chain. */
  connect(options: Partial<ChainOptions>): Promise<Chain>;
  stop(): Promise<void>;
}

export async function startLocalChain(): Promise<LocalChain> {
  const dataDir = mkdtempSync(join(tmpdir(), 'aps-chain-'));
  const embedded = await startEmbeddedChain({
    dataDir,
    programs: [
      { programId: PROGRAM_ADDRESS, file: PROGRAM_FILE },
      { programId: RELAY, file: join(__dirname, 'relay.so') },
      { programId: PAYMENT_CHANNELS_ADDRESS, file: PAYMENT_CHANNELS_FILE },
    ],
  });
  const [feePayer, mint, mintAuthority] = [LocalSigner.generate().signer, LocalSigner.generate().signer, LocalSigner.generate().signer];
  await createTestMint({ rpcUrl: embedded.rpcUrl, feePayer, mint, mintAuthority: mintAuthority.address });
  const options: ChainOptions = {
    rpcUrls: [embedded.rpcUrl],
    webSocketUrls: [embedded.wsUrl],
    usdcMint: mint.address,
    feePayer,
    mintAuthority,
    settlementCommitment: 'confirmed',
    rpcTimeoutMs: 3_000,
    microLamportsPerComputeUnit: 0n,
  };
  const open: Chain[] = [];
  const connect = async (more: Partial<ChainOptions>): Promise<Chain> => {
    const chain = await Chain.connect({ ...options, ...more });
    open.push(chain);
    return chain;
  };
  return {
    chain: await connect({}),
    rpcUrl: embedded.rpcUrl,
    options,
    connect,
    stop: async () => {
      for (const chain of open) chain.close();
      await embedded.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
