/** Why a transaction is not to be signed. */
import { AgentPaymentsError } from '../errors';
import type { TransactionReading } from './reading';

/** The bytes are not a transaction of the service, or something in them is unknown. What cannot be read must not be signed. */
export class UnreadableTransactionError extends AgentPaymentsError {
  constructor(
    /** The part, such as `instruction 2 (set_policy), byte 311`. */
    readonly where: string,
    /** Such as `a bool is 2`. */
    readonly problem: string,
  ) {
    super(`The transaction cannot be read: ${where}: ${problem}.`);
  }
}

/**
 * `not_a_signer`: the transaction does not need the key. `pays`: the key pays the fee, or can be debited. `other_role`: the key is named as
 * something else than the operator. `several_actions`: it does more than one thing. `another_action`: it does another thing than the one
 * that was expected.
 */
export type UnsafeReason = 'not_a_signer' | 'pays' | 'other_role' | 'several_actions' | 'another_action';

/** The transaction can be read, and must not be signed. */
export class UnsafeTransactionError extends AgentPaymentsError {
  constructor(
    readonly reason: UnsafeReason,
    message: string,
    /** Its effects. */
    readonly reading: TransactionReading,
  ) {
    super(message);
  }
}
