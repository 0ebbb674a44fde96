/** The exit codes of `aps`. They are documented in docs/cli.md. */
import { CommanderError } from 'commander';
import {
  APIConnectionError,
  APIUserAbortError,
  ApprovalRequired,
  DeclinedError,
  InvalidRequestError,
  NotSettledError,
  RateLimitError,
  ServiceUnavailableError,
  SignatureRequired,
} from '#client';

export const ExitCode = {
  ok: 0,
  error: 1,
  usage: 2,
  declined: 3,
  waitsForApproval: 4,
  unreachable: 5,
  someRowsFailed: 6,
  waitsForSignature: 7,
  refused: 8,
  interrupted: 130,
} as const;

/** The command line, a file or a setting is wrong. Nothing was sent. */
export class UsageError extends Error {}

/** The transaction that was to be signed is refused: it cannot be read, is unsafe, or was not asked for. */
export class RefusedError extends Error {
  constructor(
    message: string,
    /** In JSON. */
    readonly code: 'unreadable_transaction' | 'unsafe_transaction',
  ) {
    super(message);
  }
}

/** Ends a command with a code after it has printed its result. */
export class Exit extends Error {
  constructor(readonly code: number) {
    super(`exit ${code}`);
  }
}

/** The exit code of a command that threw this. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof Exit) return error.code;
  if (error instanceof CommanderError) return error.exitCode === 0 ? ExitCode.ok : ExitCode.usage;
  if (error instanceof UsageError || error instanceof InvalidRequestError) return ExitCode.usage;
  if (error instanceof RefusedError) return ExitCode.refused;
  if (error instanceof DeclinedError) return ExitCode.declined;
  if (error instanceof NotSettledError) return error.object.status === 'rejected' ? ExitCode.declined : ExitCode.error;
  if (error instanceof ApprovalRequired) return ExitCode.waitsForApproval;
  if (error instanceof SignatureRequired) return ExitCode.waitsForSignature;
  if (error instanceof APIUserAbortError) return ExitCode.interrupted;
  const isUnreachable = [APIConnectionError, ServiceUnavailableError, RateLimitError].some((kind) => error instanceof kind);
  return isUnreachable ? ExitCode.unreachable : ExitCode.error;
}
