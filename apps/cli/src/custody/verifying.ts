/** Reads what is to be signed from the transaction itself, and refuses what the command did not ask for. */
import {
  type Operation,
  operationsOf,
  type PolicyInstruction,
  type TransactionReading,
  UnreadableTransactionError,
  UnsafeTransactionError,
  verifySignatureRequest,
} from '#client';
import type { Context } from '../context';
import { RefusedError, UsageError } from '../output/exit-codes';
import { indented } from '../output/output';

/** The request of a command. */
export interface Expected {
  /** The instructions that do it. */
  only: readonly Operation[];
  /** The effect of an instruction that was not asked for, such as `it changes paused`; undefined if there is none. */
  objection?: (instruction: PolicyInstruction) => string | undefined;
}

/**
 * Reads a request's transaction. If it is refused, says what the service says and what was read.
 * @throws RefusedError; UsageError if the key is not among the signers
 */
export function verified(
  context: Context,
  { transaction, summary }: { transaction: string; summary: string[] },
  { chainKey, expected, before = 0 }: { chainKey: string; expected?: Expected | undefined; before?: number },
): TransactionReading {
  const { programId } = context;
  try {
    const options = { chainKey, ...(programId !== undefined && { programId }), ...(expected && { only: expected.only }) };
    const reading = verifySignatureRequest({ transaction }, options);
    for (const instruction of operationsOf(reading)) {
      const objection = expected?.objection?.(instruction);
      if (objection)
        throw new UnsafeTransactionError('another_action', `The transaction is not what you asked for: ${objection}.`, reading);
    }
    return reading;
  } catch (error) {
    if (error instanceof UnsafeTransactionError && error.reason === 'not_a_signer')
      throw new UsageError(error.message.replace('. ', '. Nothing was signed. '));
    if (!(error instanceof UnreadableTransactionError || error instanceof UnsafeTransactionError)) throw error;
    for (const line of bothSay(summary, 'reading' in error ? error.reading.sentences : ['It cannot be read.'])) context.note(line);
    throw refused(error, before);
  }
}

/** `before`: how many transactions of the same request are signed already. */
function refused(error: UnreadableTransactionError | UnsafeTransactionError, before: number): RefusedError {
  const isUnreadable = error instanceof UnreadableTransactionError;
  const hint = isUnreadable ? ' Where the program of your service has an address of its own, give --program-id.' : '';
  return new RefusedError(`${error.message}${hint} ${unsigned(before)}`, isUnreadable ? 'unreadable_transaction' : 'unsafe_transaction');
}

/** The message for a transaction that is not signed. */
export function unsigned(before: number): string {
  return before === 0 ? 'Nothing was signed.' : `It was not signed. Signed before it: ${before}.`;
}

/** The words of both sides, line by line. */
export function bothSay(summary: string[], sentences: string[]): string[] {
  return ['The service says:', ...indented(summary), 'The transaction does:', ...indented(sentences)];
}

/** Changes that take several transactions of different kinds: a long list of a policy, and a closing with sessions that owe their payee. */
const FAMILIES: readonly (readonly Operation[])[] = [
  ['set_policy', 'create_policy_draft', 'write_policy_draft'],
  ['close_account', 'write_off_session'],
];
const APPROVALS: readonly Operation[] = ['transfer', 'open_session', 'top_up_session', 'approve_charge'];

/** Whether a transaction pays: each one that is signed can land, and pays again. Of the others a second one changes nothing more. */
export function isApproval(reading: TransactionReading): boolean {
  return operationsOf(reading).some(({ name }) => APPROVALS.includes(name));
}

/** The effects that the further transactions of a request may have: the same as the first, on the same account or to the same key. */
export function likeFirst(reading: TransactionReading): Expected {
  const [first] = operationsOf(reading);
  if (!first) return { only: [] };
  return {
    only: FAMILIES.find((family) => family.includes(first.name)) ?? [first.name],
    objection: (instruction) => {
      const [is, was] = [subjectOf(instruction), subjectOf(first)];
      if (is !== was) return `it is about ${is}, and not about ${was}`;
      const [to, before] = [destinationOf(instruction), destinationOf(first)];
      return instruction.name === first.name && to !== before ? `the money moves to ${to}, and not to ${before}` : undefined;
    },
  };
}

/** The effects that both allow. */
export function both(one: Expected | undefined, other: Expected | undefined): Expected | undefined {
  if (!one || !other) return one ?? other;
  return {
    only: one.only.filter((name) => other.only.includes(name)),
    objection: (instruction) => one.objection?.(instruction) ?? other.objection?.(instruction),
  };
}

function subjectOf(instruction: PolicyInstruction): string {
  const { accounts } = instruction;
  if ('new_operator' in accounts) return `the key ${accounts.new_operator}`;
  if ('owner' in accounts) return `the policy of ${accounts.owner}`;
  return 'account' in accounts ? `account ${accounts.account}` : `fleet ${accounts.fleet}`;
}

function destinationOf({ accounts }: PolicyInstruction): string {
  return 'destination' in accounts && accounts.destination !== undefined ? accounts.destination : 'nowhere';
}
