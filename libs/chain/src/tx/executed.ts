/** Outcomes of executed transactions, and the errors that they are reported with. */
import { ChainRefusedError } from '../chain.errors';
import type { Outcome } from './tx.types';

/** The outcome of an executed transaction: it landed, or failed on chain. */
export type Executed = Extract<Outcome, { slot: number }> & { signature: string };
type NotLanded = Exclude<Executed, { kind: 'landed' }>;

/** Returns a transaction that landed. @throws ChainRefusedError with the program's reason. */
export function landedOrThrow(executed: Executed, what: string): Executed & { kind: 'landed' } {
  if (executed.kind === 'landed') return executed;
  throw errorOf(executed, what);
}

/** The error to throw for a transaction that landed and failed. */
export function errorOf(executed: NotLanded, what: string): ChainRefusedError {
  return new ChainRefusedError(reasonOf(executed), executed.kind === 'failed' ? `${what}: ${executed.failure.detail}` : what);
}

/** The program's error, or the rule that was violated. */
export function reasonOf(executed: NotLanded): string {
  return executed.kind === 'failed' ? executed.failure.reason : executed.violation.rule;
}

/** The outcome as JSON, for error messages. */
export function describe(executed: Executed): string {
  return JSON.stringify(executed, (_key, value: unknown) => (typeof value === 'bigint' ? value.toString() : value));
}
