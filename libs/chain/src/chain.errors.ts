/** The nodes are unreachable, stale or answer nonsense. Nothing was sent; the same call may succeed later. */
export class ChainUnavailableError extends Error {
  override readonly name = 'ChainUnavailableError';

  constructor(what: string, options?: ErrorOptions) {
    super(`the chain is unavailable: ${what}`, options);
  }
}

/** The node does not have the transaction after which its history was asked for: it was pruned, or rolled back. */
export class HistoryCutError extends ChainUnavailableError {}

/** A transaction was submitted and its outcome is not known yet. Look it up; never repeat it as a new one. */
export class ChainOutcomeUnknownError extends Error {
  override readonly name = 'ChainOutcomeUnknownError';
}

/** Whether an error says that the chain was unavailable, or an outcome unknown: the same may succeed later. */
export function isAway(error: unknown): error is ChainUnavailableError | ChainOutcomeUnknownError {
  return error instanceof ChainUnavailableError || error instanceof ChainOutcomeUnknownError;
}

/** The program, the mint or the cluster is not the one that this service is configured for. */
export class ChainMismatchError extends Error {
  override readonly name = 'ChainMismatchError';
}

/** The chain rejected an instruction that the service expected to succeed: a bug, or keys and accounts that do not belong together. */
export class ChainRefusedError extends Error {
  override readonly name = 'ChainRefusedError';

  constructor(
    readonly reason: string,
    detail: string,
  ) {
    super(`the chain refused (${reason}): ${detail}`);
  }
}
