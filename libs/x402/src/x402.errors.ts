/**
 * The defect of a message of the other side, or the reason why none of its offers can be paid. The last three say that every offer
 * was skipped: by its scheme or payment flow, its network, or its token.
 */
export type X402ErrorCode =
  | 'payment_required_invalid'
  | 'payment_required_too_large'
  | 'requirements_invalid'
  | 'payment_invalid'
  | 'payment_response_invalid'
  | 'unsupported_method'
  | 'network_mismatch'
  | 'mint_mismatch';

/** The only error that this library throws. The message says what is wrong and where; it does not repeat the payment. */
export class X402Error extends Error {
  constructor(
    readonly code: X402ErrorCode,
    message: string,
  ) {
    super(message);
    this.name = 'X402Error';
  }
}
