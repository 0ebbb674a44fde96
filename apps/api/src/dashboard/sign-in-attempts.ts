import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Clock } from '../runtime/clock';
import { RateLimited } from './dashboard.errors';

const WINDOW_MS = 60_000;
const MAX_FAILURES = 20;
/** The most addresses that are counted. Beyond this the least recently used one is dropped. */
const MAX_ADDRESSES = 10_000;

/** Counts failed sign-ins by address. Keys cannot be guessed, so this only limits the load of those who try. */
@Injectable()
export class SignInAttempts {
  private readonly failures: LRUCache<string, { count: number }>;

  constructor(clock: Clock) {
    // An entry lives from the first failure of its window to the end of the window.
    this.failures = new LRUCache({ max: MAX_ADDRESSES, ttl: WINDOW_MS, ttlResolution: 0, perf: { now: () => clock.now().getTime() } });
  }

  /** @throws RateLimited where too many sign-ins of the address failed within a minute. */
  requireBelowLimit(address: string): void {
    if ((this.failures.get(address)?.count ?? 0) < MAX_FAILURES) return;
    const retryAfterSeconds = Math.ceil(this.failures.getRemainingTTL(address) / 1000);
    throw new RateLimited('Too many sign-ins failed: wait a minute.', { limit: MAX_FAILURES, retryAfterSeconds });
  }

  /** Counts a failed sign-in. */
  note(address: string): void {
    const failures = this.failures.get(address);
    if (failures) failures.count++;
    else this.failures.set(address, { count: 1 });
  }
}
