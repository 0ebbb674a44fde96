/** The defects of messages of the other side. */
export type MppErrorCode =
  | 'challenge_invalid'
  | 'challenge_too_large'
  | 'request_invalid'
  | 'category_conflict'
  | 'credential_invalid'
  | 'receipt_invalid'
  | 'voucher_invalid';

/** Something malformed. The message says what and where, and repeats nothing that may be a secret. */
export class MppError extends Error {
  constructor(
    readonly code: MppErrorCode,
    message: string,
  ) {
    super(message);
    this.name = 'MppError';
  }
}
