/** Whether the operator's chain key can sign a transaction without giving away more than the transaction says. */
import { UnsafeTransactionError, type UnsafeReason } from './errors';
import { type Operation, operationsOf, type PolicyInstruction, type TransactionReading } from './reading';
import { readTransaction, type ReadOptions } from './transaction';

export interface VerifyRequestOptions extends ReadOptions {
  /** The address of the operator's chain key. Take it from your key, not from the service. */
  chainKey: string;
  /** The effects that the transaction may have, such as `['set_policy']`. Default: anything that the operator's key signs, one thing at a time. */
  only?: readonly Operation[];
}

/**
 * Reads the transaction of a signature request and checks that the chain key can sign it. What it returns is what the signature does, and
 * all that it does, provided that agent_policy at `programId` is the program that it should be:
 *
 * - Every instruction is known and was read to its last byte, so that none is hidden.
 * - The key is a signer, does not pay the fee, and is read-only. The runtime lets no program change or debit a read-only account: no SOL of
 *   the key can move.
 * - Only agent_policy gets the key, as the `operator` of each of its instructions and in no other place: not as payer, authority or new
 *   operator. The other programs do not get it at all. agent_policy passes the operator's signature to no other program: no tokens of
 *   the key can move.
 * - The transaction does one thing: all instructions of agent_policy are the same one, and only accounts are handed over several at a time,
 *   to one key. Nothing is hidden beside a policy change.
 *
 * It cannot know whether the account, the amount or the recipient is the one that you mean: compare the sentences.
 * @throws UnreadableTransactionError, UnsafeTransactionError
 */
export function verifySignatureRequest(request: { transaction: string }, options: VerifyRequestOptions): TransactionReading {
  const reading = readTransaction(request.transaction, options);
  requireBystander(reading, options.chainKey);
  requireOneAction(reading, options);
  return reading;
}

/** @throws UnsafeTransactionError if the key does not sign, or can be debited */
function requireBystander(reading: TransactionReading, key: string): void {
  const { signers, feePayer, writable } = reading;
  const refuse = refuserOf(reading);
  if (!signers.includes(key))
    refuse('not_a_signer', `The key ${key} is not a signer of this transaction. Its signers: ${signers.join(', ')}.`);
  if (feePayer === key) refuse('pays', `The transaction takes its fee from your key ${key}.`);
  if (writable.includes(key)) refuse('pays', `The transaction can take SOL from your key ${key}.`);
}

/** @throws UnsafeTransactionError if the key has another role, or the instructions do several things, or another one than expected */
function requireOneAction(reading: TransactionReading, { chainKey, only }: VerifyRequestOptions): void {
  const refuse = refuserOf(reading);
  const operations = operationsOf(reading);
  const [first] = operations;
  for (const { program, name, accounts } of reading.instructions) {
    if (program !== 'agent_policy' && Object.values(accounts).includes(chainKey)) refuse('other_role', `${name} names your key.`);
  }
  if (reading.instructions.some(({ program }) => program === 'token') && first?.name !== 'fund_channel')
    refuse('several_actions', 'The transaction prepares the token account of a key, and funds no channel purse.');
  for (const { name, accounts } of operations) {
    const roles = Object.entries(accounts).flatMap(([role, address]) => (address === chainKey ? [role] : []));
    if (roles.join() !== 'operator')
      refuse('other_role', `${name} names your key as ${roles.join(' and ') || 'nothing'}, not as the operator.`);
    if (only && !only.includes(name)) refuse('another_action', `The transaction does ${name}, and not ${only.join(' or ')}.`);
  }
  if (operations.length > 1 && new Set(operations.map(alikeBy)).size > 1)
    refuse('several_actions', `The transaction does several things at once: ${operations.map(({ name }) => name).join(', ')}.`);
  // Without an instruction that names the key, there is no reason for its signature.
  if (!first) refuse('another_action', 'The transaction does nothing that needs your key.');
}

/** Equal for operations that do one thing to several accounts: a hand-over to one key, or one and the same policy change. */
function alikeBy(one: PolicyInstruction, index: number): string {
  if (one.name === 'set_operator') return `set_operator ${one.accounts.new_operator}`;
  if (one.name !== 'set_policy' || one.accounts.draft !== undefined) return `${one.name} ${index}`;
  // Each policy has a version of its own.
  const { expected_version: _version, ...change } = one.args;
  return `set_policy ${JSON.stringify(change, (_key, value: unknown) => (typeof value === 'bigint' ? value.toString() : value))}`;
}

function refuserOf(reading: TransactionReading): (reason: UnsafeReason, message: string) => never {
  return (reason, message) => {
    throw new UnsafeTransactionError(reason, message, reading);
  };
}
