/** Every error code: its status, the type of its body, and an example. */
import type { ErrorCode } from '../../api/src/http/answers';
import type {
  ConflictBody,
  DeclinedBody,
  ErrorBody,
  FailedBody,
  IdempotencyConflictBody,
  InvalidRequestBody,
  PreconditionFailedBody,
} from './error-bodies';

/** The types of bodies, by their names in error-bodies.ts. */
interface Bodies {
  ErrorBody: ErrorBody;
  InvalidRequestBody: InvalidRequestBody;
  DeclinedBody: DeclinedBody;
  IdempotencyConflictBody: IdempotencyConflictBody;
  ConflictBody: ConflictBody;
  PreconditionFailedBody: PreconditionFailedBody;
  FailedBody: FailedBody;
}

export interface ErrorDescription {
  status: number;
  /** When it is answered. */
  when: string;
  body: keyof Bodies;
  example: Omit<ErrorBody, 'error' | 'request_id' | 'doc_url'>;
}

function describe<Body extends keyof Bodies>(
  status: number,
  when: string,
  body: Body,
  example: Omit<Bodies[Body], 'error' | 'request_id' | 'doc_url'> & { message: string },
): ErrorDescription {
  return { status, when, body, example };
}

/** A new code needs its line here: the type says which is missing. */
export const ERRORS: Record<ErrorCode, ErrorDescription> = {
  invalid_request: describe(400, 'The request is not valid. `details` names every invalid field.', 'InvalidRequestBody', {
    message: 'The request is not valid: see details.',
    details: [
      {
        field: 'amount',
        message: 'must be a decimal string such as "1.50": at least "0.000001", with at most 12 digits before and 6 after the point',
      },
    ],
  }),
  unauthorized: describe(401, 'The key is missing, malformed, unknown, revoked or expired.', 'ErrorBody', {
    message: 'The Authorization header is missing: send Authorization: Bearer <key>.',
  }),
  policy_violation: describe(
    402,
    'A rule of the policy declines it, an operator denied it, or a payment’s own condition does.',
    'DeclinedBody',
    {
      message: '8.000000 USDC does not fit into max_daily_spend, 100.000000 USDC in any 24 hours: 5.000000 USDC remain.',
      transfer_id: 'tr_01JNB7Q8X3V5T2M4K6H8G0F1D2',
      status: 'rejected',
      rejection_reason: 'max_daily_spend',
      policy: {
        rule: 'max_daily_spend',
        limit_usdc: '100.000000',
        attempted_usdc: '8.000000',
        remaining_usdc: '5.000000',
        reserved_usdc: '20.000000',
        available_at: '2026-03-01T12:15:00.000Z',
        version: 3,
      },
    },
  ),
  account_paused: describe(402, 'The account is paused.', 'DeclinedBody', {
    message: 'The account is paused: it pays nothing until an operator resumes it.',
    transfer_id: 'tr_01JNB7Q8X3V5T2M4K6H8G0F1D2',
    status: 'rejected',
    rejection_reason: 'paused',
    policy: { rule: 'paused', attempted_usdc: '8.000000', version: 4 },
  }),
  insufficient_balance: describe(402, 'The account holds less. The same key may be used again.', 'DeclinedBody', {
    message: 'The account holds 5.000000 USDC, less than 8.000000 USDC.',
    transfer_id: 'tr_01JNB7Q8X3V5T2M4K6H8G0F1D2',
    status: 'rejected',
    rejection_reason: 'insufficient_balance',
    policy: { rule: 'insufficient_balance', attempted_usdc: '8.000000', remaining_usdc: '5.000000', version: 3 },
  }),
  forbidden: describe(403, 'A valid key that may not do this.', 'ErrorBody', {
    message: 'An agent key may not do this: an operator key is needed. GET /v1/me names the accounts of this key.',
  }),
  not_found: describe(404, 'There is no such object, or it belongs to another operator.', 'ErrorBody', {
    message: 'There is no such object.',
  }),
  method_not_allowed: describe(405, 'The path takes other methods, which `Allow` names.', 'ErrorBody', {
    message: 'This path takes GET, HEAD.',
  }),
  idempotency_conflict: describe(409, 'The idempotency key was used with other parameters.', 'IdempotencyConflictBody', {
    message: 'This idempotency_key was used with other parameters.',
    transfer_id: 'tr_01JNB7Q8X3V5T2M4K6H8G0F1D2',
  }),
  conflict: describe(409, 'The state of the object, which `status` names, does not allow this.', 'ConflictBody', {
    message: 'The session is settled.',
    session_id: 'sess_01JNB7Q8X3V5T2M4K6H8G0F1D2',
    status: 'settled',
  }),
  precondition_failed: describe(412, '`If-Match` names another version than the policy has.', 'PreconditionFailedBody', {
    message: 'The policy has version 8 by now: read it again.',
    version: 8,
  }),
  payload_too_large: describe(413, 'The body is larger than 256 KiB, or 1 MiB of `POST /v1/accounts/bulk`.', 'ErrorBody', {
    message: 'The body is larger than 256 KiB.',
  }),
  unsupported_media_type: describe(415, 'The body is not JSON.', 'ErrorBody', {
    message: 'The body must be JSON in UTF-8, uncompressed: Content-Type: application/json.',
  }),
  invalid_recipient: describe(422, 'The recipient cannot receive USDC. The idempotency key stays free.', 'FailedBody', {
    message: 'The recipient cannot receive USDC: it is a wallet address, not a USDC token account.',
  }),
  rate_limited: describe(429, 'Too many requests. `Retry-After` says when to try again.', 'ErrorBody', {
    message: 'Too many requests: try again in 30 seconds.',
  }),
  fee_budget_exceeded: describe(
    429,
    'The account’s transactions have cost what they may in 24 hours. `Retry-After` says when to try again.',
    'ErrorBody',
    { message: 'The account’s transactions have cost what they may in 24 hours (FEE_BUDGET_PER_ACCOUNT). Nothing was sent.' },
  ),
  internal_error: describe(500, 'A bug of the service.', 'ErrorBody', {
    message: 'Something went wrong on our side. The request id finds it in our log.',
  }),
  provider_unreachable: describe(502, 'The provider did not answer, and nothing was paid.', 'FailedBody', {
    message: 'The provider did not answer in time. Nothing was paid.',
    payment_id: 'pay_01JNB7Q8X3V5T2M4K6H8G0F1D2',
    status: 'failed',
  }),
  chain_unavailable: describe(503, 'The chain cannot be reached, or is too far behind. Nothing is lost.', 'FailedBody', {
    message: 'The chain cannot be reached right now. Nothing was sent: try again.',
    transfer_id: 'tr_01JNB7Q8X3V5T2M4K6H8G0F1D2',
    status: 'failed',
  }),
  fee_payer_empty: describe(
    503,
    'The service’s fee payer holds too little: only pauses, approvals, denials, rotations and endings are sent.',
    'ErrorBody',
    {
      message:
        'The service’s fee payer holds too little: only pauses, approvals, denials, rotations and endings are sent. Nothing was sent: try again later.',
    },
  ),
  storage_unavailable: describe(503, 'The database cannot be reached, or has its largest size. Nothing is lost.', 'ErrorBody', {
    message: 'The database is not available right now. This request sent nothing: repeat it with the same key.',
  }),
};
