import type { ErrorCode } from './answers';

/** An error that is returned to the client: code and status belong to the contract, the message is a sentence for people. */
export class DomainError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  /** The members of the body beside error, message and request_id. */
  readonly details: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;

  constructor({
    code,
    status,
    message,
    details = {},
    headers = {},
  }: { code: ErrorCode; status: number; message: string; details?: Record<string, unknown>; headers?: Record<string, string> }) {
    super(message);
    this.name = new.target.name;
    this.code = code;
    this.status = status;
    this.details = details;
    this.headers = headers;
  }
}

/** An invalid field of a request: its path, such as `metadata.colour` or `account_ids[3]`, and what it must be. */
export interface Offender {
  field: string;
  message: string;
}

/** The most offenders that a response names: a body of 256 KiB can hold a hundred thousand. */
const MAX_OFFENDERS = 100;

export class InvalidRequest extends DomainError {
  constructor(offenders: Offender[], message = sentenceAbout(offenders)) {
    super({ code: 'invalid_request', status: 400, message, details: { details: offenders.slice(0, MAX_OFFENDERS) } });
  }

  static field(field: string, message: string): InvalidRequest {
    return new InvalidRequest([{ field, message }]);
  }
}

/** The first offender's sentence, and how many more there are. */
function sentenceAbout([first, ...others]: Offender[]): string {
  if (!first) return 'The request is not valid.';
  const more = others.length > 0 ? `, and ${others.length} more` : '';
  return `${first.field === '' ? 'The body' : first.field} ${first.message}${more}.`;
}

export class Unauthorized extends DomainError {
  constructor(message = 'A valid API key is needed: Authorization: Bearer <key>.') {
    super({ code: 'unauthorized', status: 401, message, headers: { 'WWW-Authenticate': 'Bearer' } });
  }
}

export class Forbidden extends DomainError {
  constructor(message = 'This key may not do this.') {
    super({ code: 'forbidden', status: 403, message });
  }
}

export class NotFound extends DomainError {
  constructor(message = 'There is no such object.') {
    super({ code: 'not_found', status: 404, message });
  }
}

/** The path exists, with other methods. */
export class MethodNotAllowed extends DomainError {
  constructor(method: string, allowed: readonly string[]) {
    const list = allowed.join(', ');
    super({
      code: 'method_not_allowed',
      status: 405,
      message: `This path does not take ${method}. It takes ${list}.`,
      headers: { Allow: list },
    });
  }
}

/** The object's state, which `status` names, does not allow the request. */
export class Conflict extends DomainError {
  constructor(message: string, status: string) {
    super({ code: 'conflict', status: 409, message, details: { status } });
  }
}

export class PayloadTooLarge extends DomainError {
  constructor(limit: string) {
    super({ code: 'payload_too_large', status: 413, message: `The body is larger than ${limit}.` });
  }
}

export class UnsupportedMediaType extends DomainError {
  constructor() {
    super({
      code: 'unsupported_media_type',
      status: 415,
      message: 'The body must be JSON in UTF-8, uncompressed: Content-Type: application/json.',
    });
  }
}

/** The chain's RPC is unreachable or stale. Nothing is lost, and the same request may succeed later. */
export class ChainUnavailable extends DomainError {
  constructor(message = 'The chain cannot be reached right now. Nothing was sent: try again.', details: Record<string, unknown> = {}) {
    super({ code: 'chain_unavailable', status: 503, message, details, headers: { 'Retry-After': '2' } });
  }
}

/** Said of an account that has a row and that the chain does not show, whichever call found it. */
export const ACCOUNT_MISSING =
  'The account is not on the chain at the moment: the chain has gone back, or a node is behind. Nothing was sent. The service creates it again: ' +
  'repeat the request in a minute.';

/** The chain's words for an account that does not exist: of the service's calls, and of the program. */
const MISSING_REASONS: ReadonlySet<string> = new Set(['no_policy', 'no_account', 'error_3007', 'error_3012']);

/** Whether the chain refused because the account does not exist there. */
export function isMissing(reason: string): boolean {
  return MISSING_REASONS.has(reason);
}

const STORAGE_UNAVAILABLE =
  'The database is not available right now. Nothing is lost: repeat the request with the same key; where it takes none, read the object first.';
const STORAGE_UNAVAILABLE_UNSENT = 'The database is not available right now. This request sent nothing: repeat it with the same key.';

/** The fee payer's rest is kept for pauses, approvals, rotations and endings. */
export class FeePayerEmpty extends DomainError {
  constructor() {
    const message =
      'The service’s fee payer holds too little: only pauses, approvals, denials, rotations and endings are sent. Nothing was sent: try again later.';
    super({ code: 'fee_payer_empty', status: 503, message, headers: { 'Retry-After': '60' } });
  }
}

/** The database has the size that a setting allows. */
export class StorageFull extends DomainError {
  constructor() {
    const message = 'The database has reached its largest size: new orders and payments are refused. Nothing was sent: try again later.';
    super({ code: 'storage_unavailable', status: 503, message, headers: { 'Retry-After': '60' } });
  }
}

/** The database is unreachable, full or out of connections. */
export class StorageUnavailable extends DomainError {
  constructor({ isUnsent = false }: { isUnsent?: boolean } = {}) {
    const message = isUnsent ? STORAGE_UNAVAILABLE_UNSENT : STORAGE_UNAVAILABLE;
    super({ code: 'storage_unavailable', status: 503, message, headers: { 'Retry-After': '2' } });
  }
}
