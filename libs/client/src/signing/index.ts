/** Reads and checks what the operator's chain key is asked to sign. Pure: no request, no key. */
export { operatorOfAcceptance } from './acceptance';
export { UnreadableTransactionError, UnsafeTransactionError, type UnsafeReason } from './errors';
export { PROGRAM_ID } from './layouts';
export type { AmountChange, ListChange } from './layouts';
export type {
  AcceptanceInstruction,
  BudgetInstruction,
  Instruction,
  KeyAccountInstruction,
  Operation,
  PolicyInstruction,
  TransactionReading,
} from './reading';
export { operationsOf } from './reading';
export { entriesOf, POLICY_LIMITS } from './sentences';
export { addSignature, readTransaction, type ReadOptions } from './transaction';
export { verifySignatureRequest, type VerifyRequestOptions } from './verify';
