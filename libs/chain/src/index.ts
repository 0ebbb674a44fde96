/** The chain, in the service's terms. The only code that knows Solana. */
export { feeLamports, LAMPORTS_PER_SIGNATURE } from './tx/fees/fees';
export { Chain, type ChainOptions } from './chain';
export { ChainCharges } from './charges/charges';
export { OwedSessions } from './sessions/owed-sessions';
export { ChainSessions } from './sessions/sessions';
export {
  ChainMismatchError,
  ChainOutcomeUnknownError,
  ChainRefusedError,
  ChainUnavailableError,
  HistoryCutError,
  isAway,
} from './chain.errors';
export { acceptanceText, isAccepted, type Acceptance } from './accounts/acceptance';
export * from './accounts/account.types';
export { MAX_HANDED_OVER } from './accounts/administration';
export { DATA_BYTES, OVERHEAD_BYTES, type SurplusRent } from './accounts/rent';
export * from './charges/charge.types';
export * from './channels/channel.types';
export { ChainChannelPurses } from './channels/channel-purses';
export { ChainChannels } from './channels/channels';
export { channelAddress, distributeChannel, openChannel, topUpChannel } from './channels/payment-channels';
export * from './fleets/fleet.types';
export type { ChainTally } from './fleets/tally-data';
export type { BalanceChange, IncomingMovement, LandedOrder, SessionOpening } from './history/history.types';
export * from './orders/order.types';
export * from './policy/policy.types';
export type { AccountAddresses } from './program/addresses';
export type { ChainIdentity } from './rpc/clusters';
export * from './sessions/session.types';
export * from './tx/tx.types';
export {
  ExternalSigner,
  lacksSignature,
  SignatureRequiredError,
  signatureOf,
  WrongSignatureError,
  type HeldSignature,
  type UnsignedTransaction,
} from './tx/signing/external-signer';
export { nodeAddress, nodeAddressIn } from './rpc/transport/node-address';
export { isSignedBy } from './tx/signing/ed25519';
export type { KeyBalance } from './tx/fees/fee-payers';
export { LocalSigner, type Signer } from './tx/signing/signer';
export { COMPUTE_UNITS } from './program/compute-units';
export { isAddress } from './policy/policy-data';
export { TOKEN_PROGRAM, USDC_DECIMALS } from './program/idl';
export { PAYMENT_CHANNELS_ADDRESS, PAYMENT_CHANNELS_FILE, PROGRAM_ADDRESS, PROGRAM_FILE } from './program/program-file';
export { hasOlderAccounts } from './program/older-layout';
export { createTestMint } from './test-mint';
