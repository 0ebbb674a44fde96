/** The chain, in the service's words. The only code that knows Solana. */
export { Chain, type ChainOptions } from './chain';
export { ChainCharges } from './charges/charges';
export type { BalanceChange, LandedOrder, LandedTransfer } from './history/history';
export { ChainSessions } from './sessions/sessions';
export { ChainMismatchError, ChainOutcomeUnknownError, ChainRefusedError, ChainUnavailableError } from './chain.errors';
export * from './chain.types';
export { LocalSigner, type Signer } from './tx/signer';
export { COMPUTE_UNITS } from './program/compute-units';
export { isAddress } from './policy/policy-data';
export { TOKEN_PROGRAM, USDC_DECIMALS } from './program/idl';
export { PROGRAM_ADDRESS, PROGRAM_FILE } from './program/program-file';
export { createTestMint } from './test-mint';
