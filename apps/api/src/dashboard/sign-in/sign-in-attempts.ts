import { Injectable } from '@nestjs/common';
import { RateLimit } from '../../http/limits/rate-limit';
import { Clock } from '../../runtime/clock';

const MAX_FAILURES = 20;
const MESSAGE = 'Too many sign-ins failed: wait a minute.';

/** Counts failed sign-ins by address. Keys cannot be guessed, so this only limits the load of those who try. */
@Injectable()
export class SignInAttempts {
  private readonly failures: RateLimit;

  constructor(clock: Clock) {
    this.failures = new RateLimit({ name: 'sign-in', limit: MAX_FAILURES }, clock);
  }

  /** Counts a failed sign-in. @throws RateLimited if too many of the address failed within a minute. */
  note(address: string): void {
    this.failures.count(address, MESSAGE);
  }
}
