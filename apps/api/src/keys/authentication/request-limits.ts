import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { addressOf, quotaHeaders, RateLimit } from '../../http/limits/rate-limit';
import { Clock } from '../../runtime/clock';
import { Config } from '../../runtime/config';

/** Limits of requests by key and by address, and of wrong keys by address. */
@Injectable()
export class RequestLimits {
  private readonly byKey: RateLimit;
  private readonly byAddress: RateLimit;
  private readonly wrongKeys: RateLimit;

  constructor(config: Config, clock: Clock) {
    this.byKey = new RateLimit({ name: 'key', limit: config.RATE_LIMIT_PER_KEY }, clock);
    this.byAddress = new RateLimit({ name: 'address', limit: config.RATE_LIMIT_PER_ADDRESS }, clock);
    this.wrongKeys = new RateLimit({ name: 'wrong-keys', limit: config.RATE_LIMIT_WRONG_KEYS }, clock);
  }

  /** Counts a request without a valid key of its address. @throws RateLimited */
  countAddress(request: Request): void {
    this.byAddress.count(addressOf(request), 'Too many requests came from this address: wait, or use a valid key.');
  }

  /** Counts a wrong key of its address. Right keys of the address go on working. @throws RateLimited */
  countWrongKey(request: Request): void {
    if (request.headers.authorization === undefined) return;
    this.countWrongConfirmation(request);
  }

  /** Counts a wrong operator key beside a browser session. @throws RateLimited */
  countWrongConfirmation(request: Request): void {
    this.wrongKeys.count(addressOf(request), 'Too many requests with wrong keys came from this address: wait, and use a valid key.');
  }

  /** Counts a request of a key, and names what is left in the response's header. @throws RateLimited */
  countKey(keyId: string, response: Response): void {
    response.set(quotaHeaders(this.byKey.count(keyId, 'This key has made too many requests: wait, and try again.')));
  }
}
