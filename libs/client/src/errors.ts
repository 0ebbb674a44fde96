/** The errors of calls: one class for each thing that a caller handles differently. */
import { parseUsdc } from './money';
import type { components } from './schema';

type Schemas = components['schemas'];
type Violation = Schemas['Violation'];
export type Transfer = Schemas['Transfer'];
export type Session = Schemas['Session'];
export type Purse = Schemas['Purse'];
export type Payment = Schemas['Payment'];

/** The base class of all errors of this package. */
export class AgentPaymentsError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** No response: the connection failed, or the caller aborted the request. The request may have been executed: repeat it with its key. */
export class APIConnectionError extends AgentPaymentsError {}

/** No response in time. The request may have been executed: repeat it with its key. */
export class APITimeoutError extends APIConnectionError {}

/** The caller's signal ended the request. */
export class APIUserAbortError extends AgentPaymentsError {}

/** The answer of the service. */
export interface ErrorResponse {
  status: number;
  body: Record<string, unknown>;
  headers: Headers;
}

/** An error that the service answered. */
export class APIError extends AgentPaymentsError {
  /** The HTTP status. */
  readonly status: number;
  /** The code of the error, such as `policy_violation`. */
  readonly code: string;
  /** Identifies the request in the logs of the service. */
  readonly requestId: string | undefined;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;

  constructor({ status, body, headers }: ErrorResponse) {
    super(text(body.message) ?? `The service answered ${status}.`);
    this.status = status;
    this.code = text(body.error) ?? 'unknown';
    this.requestId = text(body.request_id) ?? headers.get('X-Request-Id') ?? undefined;
    this.headers = headers;
    this.body = body;
  }
}

/** 400. `details` names every invalid field. */
export class InvalidRequestError extends APIError {
  get details(): { field: string; message: string }[] {
    return Array.isArray(this.body.details) ? this.body.details : [];
  }
}

/** 401: the key is missing, unknown, revoked or expired. */
export class AuthenticationError extends APIError {}

/** 403: a valid key that may not do this. */
export class PermissionDeniedError extends APIError {}

/** 404: no such object, or another operator's. */
export class NotFoundError extends APIError {}

/** 402: declined. It is final for its idempotency key, except `insufficient_balance`. */
export class DeclinedError extends APIError {
  /** The rule of the policy, `insufficient_balance`, `denied`, `approval_expired`, or a payment's own reason. */
  get reason(): string {
    return text(this.body.rejection_reason) ?? this.code;
  }

  /** The id of what was declined. */
  get objectId(): string | undefined {
    const { transfer_id, session_id, purse_id, payment_id } = this.body;
    return text(transfer_id) ?? text(session_id) ?? text(purse_id) ?? text(payment_id);
  }

  /** The limit of the rule, in micro-USDC. Undefined if the rule has none. */
  get limit(): bigint | undefined {
    return amount(this.violation?.limit_usdc);
  }

  /** The asked amount, in micro-USDC. */
  get attempted(): bigint | undefined {
    return amount(this.violation?.attempted_usdc);
  }

  /** The amount that could be spent now, in micro-USDC. */
  get remaining(): bigint | undefined {
    return amount(this.violation?.remaining_usdc);
  }

  /** Caps of open sessions, purses and charges, in micro-USDC. */
  get reserved(): bigint | undefined {
    return amount(this.violation?.reserved_usdc);
  }

  /** When the same request would fit. Undefined if it can never fit, or waits for a session to close. */
  get availableAt(): Date | undefined {
    const at = this.violation?.available_at;
    return at === undefined ? undefined : new Date(at);
  }

  /** The entries of the policy's list, if one of its lists declined. */
  get allowed(): string[] | undefined {
    return this.violation?.allowed;
  }

  /** The version of the policy that declined. */
  get policyVersion(): bigint | undefined {
    const version = this.violation?.version;
    return version === undefined ? undefined : BigInt(version);
  }

  private get violation(): Violation | undefined {
    const { policy } = this.body;
    return typeof policy === 'object' && policy !== null ? (policy as Violation) : undefined;
  }
}

/** 402: a rule of the policy declined it, an operator denied it, or a payment's own condition did. */
export class PolicyViolation extends DeclinedError {}

/** 402: the account is paused. */
export class AccountPaused extends DeclinedError {}

/** 402: the account holds less. The same key may be used again. */
export class InsufficientBalance extends DeclinedError {}

/** 409. `state` is the state of the object, which does not allow the request. */
export class ConflictError extends APIError {
  get state(): string | undefined {
    return text(this.body.status);
  }
}

/** 409: the idempotency key was used with other parameters. */
export class IdempotencyConflictError extends APIError {}

/** 412: the policy has another version than the request names. */
export class PreconditionFailedError extends APIError {}

/** 422: the recipient cannot receive USDC. The key stays free. */
export class InvalidRecipientError extends APIError {}

/** 429: too many requests. */
export class RateLimitError extends APIError {}

/** 5xx. */
export class ServiceError extends APIError {}

/** 502: the provider of a payment did not answer, and nothing was paid. */
export class ProviderUnreachableError extends ServiceError {}

/** 503: the chain or the database is away. Nothing is lost: repeat the request with the same key. */
export class ServiceUnavailableError extends ServiceError {}

/** An operator must approve it first. Thrown by `waitUntilSettled`, unless it waits for approvals. */
export class ApprovalRequired extends AgentPaymentsError {
  /** The object that waits. Once it is approved it settles by itself. */
  readonly object: Transfer | Session | Purse;
  /** When the request for approval expires. */
  readonly expiresAt: Date | undefined;

  constructor(object: Transfer | Session | Purse) {
    super('An operator must approve it first.');
    this.object = object;
    this.expiresAt = object.approval && new Date(object.approval.expires_at);
  }
}

/** The operator holds its chain key itself, and must sign first. Nothing was changed. `signatureRequests.submit` takes the signature. */
export class SignatureRequired extends AgentPaymentsError {
  /** The transaction to sign, what it does, and until when. */
  readonly request: Schemas['SignatureRequired'];

  constructor(request: Schemas['SignatureRequired']) {
    super(request.message);
    this.request = request;
  }
}

/** `waitUntilSettled` found that it was rejected, or failed. */
export class NotSettledError extends AgentPaymentsError {
  readonly object: Transfer | Session | Purse | Payment;
  /** Why: a rule of the policy, `denied`, `approval_expired`, or the reason of a failure. */
  readonly reason: string;

  constructor(object: Transfer | Session | Purse | Payment) {
    const reason = object.rejection_reason ?? ('failure_reason' in object ? object.failure_reason : undefined) ?? object.status;
    super(`It did not settle: ${reason}.`);
    this.object = object;
    this.reason = reason;
  }
}

/** The signature of a delivery is missing, wrong or too old. */
export class WebhookVerificationError extends AgentPaymentsError {}

const BY_CODE: Record<string, new (response: ErrorResponse) => APIError> = {
  invalid_request: InvalidRequestError,
  unauthorized: AuthenticationError,
  forbidden: PermissionDeniedError,
  not_found: NotFoundError,
  policy_violation: PolicyViolation,
  account_paused: AccountPaused,
  insufficient_balance: InsufficientBalance,
  idempotency_conflict: IdempotencyConflictError,
  conflict: ConflictError,
  precondition_failed: PreconditionFailedError,
  invalid_recipient: InvalidRecipientError,
  rate_limited: RateLimitError,
  provider_unreachable: ProviderUnreachableError,
  chain_unavailable: ServiceUnavailableError,
  storage_unavailable: ServiceUnavailableError,
};

/** The error of a response. A code that this version does not know is an `APIError`, or a `ServiceError` from 500 on. */
export function errorOf(response: ErrorResponse): APIError {
  const { error } = response.body;
  const known = typeof error === 'string' && Object.hasOwn(BY_CODE, error) ? BY_CODE[error] : undefined;
  return new (known ?? (response.status >= 500 ? ServiceError : APIError))(response);
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function amount(usdc: string | undefined): bigint | undefined {
  return usdc === undefined ? undefined : parseUsdc(usdc);
}
