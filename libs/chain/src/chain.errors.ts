/** The chain's nodes are unreachable, lag behind or answer nonsense. Nothing was sent; the same call may succeed later. */
export class ChainUnavailableError extends Error {
  override readonly name = 'ChainUnavailableError';

  constructor(what: string, options?: ErrorOptions) {
    super(`the chain is unavailable: ${what}`, options);
  }
}

/** A transaction was sent and nobody can say yet whether it lands. Find out; never repeat it as a new one. */
export class ChainOutcomeUnknownError extends Error {
  override readonly name = 'ChainOutcomeUnknownError';
}

/** The program, the mint or the cluster is not what this service was set up for. */
export class ChainMismatchError extends Error {
  override readonly name = 'ChainMismatchError';
}

/** The chain refused something that the service held for right: a bug, or keys and accounts that do not belong together. */
export class ChainRefusedError extends Error {
  override readonly name = 'ChainRefusedError';

  constructor(
    readonly reason: string,
    detail: string,
  ) {
    super(`the chain refused (${reason}): ${detail}`);
  }
}
