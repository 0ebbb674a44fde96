import { DomainError } from '../http/domain.errors';

/** The caller has reached a limit of this service. */
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
