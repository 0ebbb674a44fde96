import { Injectable } from '@nestjs/common';
import { RateLimit, RateLimited } from '../http/rate-limit';
import { Clock } from '../runtime/clock';

const MAX_FAILURES = 20;
const MESSAGE = 'Too many sign-ins failed: wait a minute.';

/** Counts failed sign-ins by address. Keys cannot be guessed, so this only limits the load of those who try. */
@Injectable()
export class SignInAttempts {
  private readonly failures: RateLimit;

  constructor(clock: Clock) {
    this.failures = new RateLimit({ name: 'sign-in', limit: MAX_FAILURES }, clock);
  }

  /** @throws RateLimited where too many sign-ins of the address failed within a minute. */
  requireBelowLimit(address: string): void {
    const quota = this.failures.quota(address);
    if (quota.remaining === 0) throw new RateLimited(MESSAGE, quota);
  }

  /** Counts a failed sign-in. @throws RateLimited where others of the address failed meanwhile. */
  note(address: string): void {
    this.failures.count(address, MESSAGE);
  }
}
