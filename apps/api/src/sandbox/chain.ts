import type { Environment } from '../config';
import type { Shutdown } from '../shutdown';

/** The settings that name a chain. */
export interface ChainVariables {
  SOLANA_RPC_URL: string;
  SOLANA_WS_URL: string;
  USDC_MINT: string;
  PROGRAM_ID: string;
}

/** Starts the embedded chain with the program and a test mint on it, and says where it is. */
export async function bootstrapChain(_environment: Environment, _shutdown: Shutdown): Promise<Partial<ChainVariables>> {
  // The embedded chain is not in the tree yet: until then the sandbox's chain is away, and whatever needs it says so.
  return { SOLANA_RPC_URL: 'http://127.0.0.1:9', SOLANA_WS_URL: 'ws://127.0.0.1:9' };
}
