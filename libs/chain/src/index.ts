/** The chain, in the service's words. The only code that knows Solana. */
export { Chain, type ChainOptions } from './chain';
export { ChainCharges } from './chain-charges';
export type { BalanceChange, LandedOrder, LandedTransfer } from './chain-history';
export { ChainSessions } from './chain-sessions';
export { ChainMismatchError, ChainOutcomeUnknownError, ChainRefusedError, ChainUnavailableError } from './chain.errors';
export * from './chain.types';
export { LocalSigner, type Signer } from './signer';
export { COMPUTE_UNITS } from './solana/compute-units';
export { isAddress } from './solana/policies';
export { TOKEN_PROGRAM, USDC_DECIMALS } from './solana/program';
export { PROGRAM_ADDRESS, PROGRAM_FILE } from './solana/program-file';
export { createTestMint } from './solana/test-mint';
