/**
 * LiteSVM's binding below its public API. Only this file imports it.
 *
 * The public API of `litesvm` takes and returns `@solana/kit` objects: each account read would convert addresses to
 * base58 and back, a transaction would be decoded only to be encoded again, and the classes of transaction errors, by
 * which agave's error JSON is written, are not exported. The binding takes bytes.
 */
export {
  Account,
  Clock,
  FailedTransactionMetadata,
  InstructionErrorBorshIo,
  InstructionErrorCustom,
  LiteSvm,
  TransactionErrorDuplicateInstruction,
  TransactionErrorInstructionError,
  TransactionErrorInsufficientFundsForRent,
  TransactionErrorProgramExecutionTemporarilyRestricted,
  type TransactionMetadata,
} from 'litesvm/dist/internal';

/** The version of `litesvm` that this file was checked against. A test fails when another one is installed. */
export const CHECKED_VERSION = '1.5.0';
