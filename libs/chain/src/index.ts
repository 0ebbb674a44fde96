/** The chain, in the service's words. The only code that knows Solana. */
export { Chain, USDC_DECIMALS, type ChainOptions } from './chain';
export type { BalanceChange, LandedTransfer } from './chain-history';
export { ChainMismatchError, ChainOutcomeUnknownError, ChainRefusedError, ChainUnavailableError } from './chain.errors';
export * from './chain.types';
export { LocalSigner, type Signer } from './signer';
export { COMPUTE_UNITS } from './solana/compute-units';
export { isAddress } from './solana/policies';
export { PROGRAM_ADDRESS, PROGRAM_FILE } from './solana/program-file';
export { createTestMint } from './solana/test-mint';
