/** The bodies of errors. The description's schemas of errors are made of these types, and its examples are checked against them. */
import type { StoredViolation } from '../../api/src/orders';

export interface ErrorBody {
  error: string;
  /** A sentence for people. */
  message: string;
  /** The `X-Request-Id` of the response. */
  request_id: string;
  /** The description of the error, or of the reason of a decline. */
  doc_url: string;
}

export interface InvalidRequestBody extends ErrorBody {
  /** Every invalid field. Empty where the body could not be read. */
  details: { field: string; message: string }[];
}

/** The rule that declined, with its numbers in USDC. Members that make no sense for the rule are absent. */
export interface Violation extends Omit<StoredViolation, 'message'> {
  /** The amount that was asked for. */
  attempted_usdc?: string;
  /** The amount that could be spent now. */
  remaining_usdc?: string;
  /** Caps of open sessions, purses and charges, which count until they are settled. */
  reserved_usdc?: string;
  /** When the same request would fit. Absent where it can never fit, or waits for a session to close. */
  available_at?: string;
  /** The version of the policy that declined. */
  version?: number;
}

/** The order that was declined, rejected or failed. */
interface Named {
  transfer_id?: string;
  session_id?: string;
  purse_id?: string;
  payment_id?: string;
}

export interface DeclinedBody extends ErrorBody, Named {
  status: 'rejected';
  /** A rule of the policy, `insufficient_balance`, `denied`, `approval_expired`, or a payment's own reason such as `max_amount`. */
  rejection_reason: string;
  policy?: Violation;
}

export interface IdempotencyConflictBody extends ErrorBody, Named {}

export interface ConflictBody extends ErrorBody, Named {
  /** The state of the object, which does not allow the request. */
  status: string;
}

export interface PreconditionFailedBody extends ErrorBody {
  /** The present version of the policy. */
  version: number;
}

/** With a status where an order failed: then only the same key runs it again. */
export interface FailedBody extends ErrorBody, Named {
  status?: 'failed';
}
