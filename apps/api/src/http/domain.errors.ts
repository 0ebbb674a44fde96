/** A refusal that a client is told: code and status are the contract's, the message is a sentence for a person. */
export class DomainError extends Error {
  readonly code: string;
  readonly status: number;
  /** What the body carries beyond error, message and request_id. */
  readonly details: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;

  constructor({
    code,
    status,
    message,
    details = {},
    headers = {},
  }: { code: string; status: number; message: string; details?: Record<string, unknown>; headers?: Record<string, string> }) {
    super(message);
    this.name = new.target.name;
    this.code = code;
    this.status = status;
    this.details = details;
    this.headers = headers;
  }
}

/** One thing wrong with a request: a path such as `metadata.colour` or `account_ids[3]`, and what it must be. */
export interface Offender {
  field: string;
  message: string;
}

/** At most so many offenders are named: a body of 256 KiB can hold a hundred thousand. */
const MAX_OFFENDERS = 100;

export class InvalidRequest extends DomainError {
  constructor(offenders: Offender[], message = 'The request is not valid: see details.') {
    super({ code: 'invalid_request', status: 400, message, details: { details: offenders.slice(0, MAX_OFFENDERS) } });
  }

  static field(field: string, message: string): InvalidRequest {
    return new InvalidRequest([{ field, message }]);
  }
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

/** The object's state does not allow this: `status` says the state. */
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

/** The chain's RPC is unreachable or too far behind. Nothing is lost, and the same request may succeed later. */
export class ChainUnavailable extends DomainError {
  constructor(message = 'The chain cannot be reached right now. Nothing was sent: try again.', details: Record<string, unknown> = {}) {
    super({ code: 'chain_unavailable', status: 503, message, details, headers: { 'Retry-After': '2' } });
  }
}

const STORAGE_AWAY =
  'The database is not available right now. Nothing is lost: repeat the request with the same key; where it takes none, read the object first.';
const STORAGE_AWAY_UNSENT = 'The database is not available right now. This request sent nothing: repeat it with the same key.';

/** The database is unreachable, full or out of connections. */
export class StorageUnavailable extends DomainError {
  constructor({ isUnsent = false }: { isUnsent?: boolean } = {}) {
    const message = isUnsent ? STORAGE_AWAY_UNSENT : STORAGE_AWAY;
    super({ code: 'storage_unavailable', status: 503, message, headers: { 'Retry-After': '2' } });
  }
}
