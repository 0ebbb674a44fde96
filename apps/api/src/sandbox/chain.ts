import {
  LocalSigner,
  PAYMENT_CHANNELS_ADDRESS,
  PAYMENT_CHANNELS_FILE,
  PROGRAM_ADDRESS,
  PROGRAM_FILE,
  createTestMint,
  hasOlderAccounts,
} from '#chain';
import { startEmbeddedChain } from '#litesvm-rpc';
import { resolve } from 'node:path';
import { KeySources } from '../key-sources';
import { StartError, readEnvironment } from '../runtime/config-loader';
import type { Shutdown } from '../runtime/process/shutdown';
import { testMintKey } from './key-files';

/** Ours, and the one that metered sellers speak. */
const PROGRAMS = [
  { programId: PROGRAM_ADDRESS, file: PROGRAM_FILE },
  { programId: PAYMENT_CHANNELS_ADDRESS, file: PAYMENT_CHANNELS_FILE },
];

/** The settings that name a chain. */
export interface ChainVariables {
  SOLANA_RPC_URL: string;
  SOLANA_WS_URL: string;
  USDC_MINT: string;
  PROGRAM_ID: string;
}

/**
 * Starts the embedded chain with the program and a test mint. Returns the settings that name it. `variables` contain the sandbox's keys.
 * @throws StartError if the data directory has accounts of an older version of the program.
 */
export async function bootstrapChain(variables: NodeJS.ProcessEnv, shutdown: Shutdown): Promise<ChainVariables> {
  const { DATA_DIR, FEE_PAYER_KEY, MINT_AUTHORITY_KEY } = readEnvironment(variables);
  if (!FEE_PAYER_KEY || !MINT_AUTHORITY_KEY) throw new Error('the sandbox creates its keys before its chain');
  const chain = await startEmbeddedChain({ dataDir: DATA_DIR, programs: PROGRAMS });
  shutdown.add('the embedded chain', () => chain.stop());
  if (await hasOlderAccounts(chain.rpcUrl))
    throw new StartError(
      `The accounts in ${resolve(DATA_DIR)} were made by an older version, which this one cannot read: remove the directory, or set DATA_DIR to another one.`,
    );
  const keySources = new KeySources(variables);
  const mint = LocalSigner.fromSeed(testMintKey(DATA_DIR));
  await createTestMint({
    rpcUrl: chain.rpcUrl,
    feePayer: await keySources.signerOf('FEE_PAYER_KEY', FEE_PAYER_KEY),
    mint,
    mintAuthority: (await keySources.signerOf('MINT_AUTHORITY_KEY', MINT_AUTHORITY_KEY)).address,
  });
  return { SOLANA_RPC_URL: chain.rpcUrl, SOLANA_WS_URL: chain.wsUrl, USDC_MINT: mint.address, PROGRAM_ID: PROGRAM_ADDRESS };
}
