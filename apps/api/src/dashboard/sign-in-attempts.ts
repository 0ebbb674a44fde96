import { Injectable } from '@nestjs/common';
import { Clock } from '../runtime/clock';
import { RateLimited } from './dashboard.errors';

const WINDOW_MS = 60_000;
const MAX_FAILURES = 20;
/** So many addresses are remembered; then the oldest is forgotten. */
const MAX_ADDRESSES = 10_000;

/** Counts failed sign-ins by address. A key cannot be guessed, so this only keeps those who try from being a load. */
@Injectable()
export class SignInAttempts {
  private readonly failures = new Map<string, { count: number; until: number }>();

  constructor(private readonly clock: Clock) {}

  /** @throws RateLimited when too many failed within the minute. */
  requireRoom(address: string): void {
    const known = this.failures.get(address);
    const left = known ? known.until - this.now() : 0;
    if (!known || left <= 0 || known.count < MAX_FAILURES) return;
    throw new RateLimited('Too many sign-ins failed: wait a minute.', { limit: MAX_FAILURES, retryAfterSeconds: Math.ceil(left / 1000) });
  }

  /** One that failed. */
  note(address: string): void {
    const known = this.failures.get(address);
    if (known && known.until > this.now()) return void known.count++;
    this.failures.delete(address);
    const [oldest] = this.failures.keys();
    if (this.failures.size >= MAX_ADDRESSES && oldest !== undefined) this.failures.delete(oldest);
    this.failures.set(address, { count: 1, until: this.now() + WINDOW_MS });
  }

  private now(): number {
    return this.clock.now().getTime();
  }
}
