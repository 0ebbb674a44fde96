import { DomainError } from '../http/domain.errors';

/** More than this service does for one caller at a time. */
export class RateLimited extends DomainError {
  constructor(message: string, { limit, retryAfterSeconds }: { limit: number; retryAfterSeconds: number }) {
    const seconds = String(retryAfterSeconds);
    super({
      code: 'rate_limited',
      status: 429,
      message,
      headers: { 'Retry-After': seconds, 'RateLimit-Limit': String(limit), 'RateLimit-Remaining': '0', 'RateLimit-Reset': seconds },
    });
  }
}
