/** The chain, in the service's words. The only code that knows Solana. */
export { Chain, COMPUTE_UNITS, USDC_DECIMALS, type ChainOptions } from './chain';
export { ChainMismatchError, ChainOutcomeUnknownError, ChainRefusedError, ChainUnavailableError } from './chain.errors';
export * from './chain.types';
export { LocalSigner, type Signer } from './signer';
export { isAddress } from './solana/policies';
export { PROGRAM_ADDRESS, PROGRAM_FILE } from './solana/program-file';
export { createTestMint } from './solana/test-mint';
