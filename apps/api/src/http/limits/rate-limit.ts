/** Limits of requests in a minute. Each process counts its own: a limit protects a process from load, and spends nothing on being exact. */
import type { Request } from 'express';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../runtime/clock';
import { DomainError } from '../domain.errors';

const WINDOW_MS = 60_000;
const WINDOW_SECONDS = WINDOW_MS / 1000;
/** The most subjects that one limit counts. Beyond this the least recently used one is dropped. */
const MAX_SUBJECTS = 10_000;

/** The rest of a limit. */
export interface Quota {
  /** The name of the counted subjects, such as `key`. */
  name: string;
  limit: number;
  remaining: number;
  /** Seconds until all of the limit is available again. */
  resetSeconds: number;
}

/** Counts a subject's requests from its first one until a minute later. */
export class RateLimit {
  private readonly windows = new LRUCache<string, Window>({ max: MAX_SUBJECTS });

  constructor(
    private readonly options: { name: string; limit: number },
    private readonly clock: Clock,
  ) {}

  /** The rest of a subject's limit. */
  quota(subject: string): Quota {
    const { name, limit } = this.options;
    const { count, resetSeconds } = this.current(subject);
    return { name, limit, remaining: Math.max(limit - count, 0), resetSeconds };
  }

  /** Counts one for a subject. Returns what is left. @throws RateLimited where nothing was left: then nothing is counted. */
  count(subject: string, message: string): Quota {
    const { name, limit } = this.options;
    const window = this.current(subject);
    if (window.count >= limit) throw new RateLimited(message, { name, limit, remaining: 0, resetSeconds: window.resetSeconds });
    this.windows.set(subject, { count: window.count + 1, endsAt: window.endsAt });
    return { name, limit, remaining: limit - window.count - 1, resetSeconds: window.resetSeconds };
  }

  private current(subject: string): Window & { resetSeconds: number } {
    const now = this.clock.now().getTime();
    const found = this.windows.get(subject);
    const window = found && found.endsAt > now ? found : { count: 0, endsAt: now + WINDOW_MS };
    return { ...window, resetSeconds: Math.ceil((window.endsAt - now) / 1000) };
  }
}

interface Window {
  count: number;
  /** By the service's clock, in milliseconds. */
  endsAt: number;
}

/** The header fields of draft-ietf-httpapi-ratelimit-headers, revision 10. */
export function quotaHeaders({ name, limit, remaining, resetSeconds }: Quota): Record<string, string> {
  return { 'RateLimit-Policy': `"${name}";q=${limit};w=${WINDOW_SECONDS}`, RateLimit: `"${name}";r=${remaining};t=${resetSeconds}` };
}

/** The caller has reached a limit of this service. */
export class RateLimited extends DomainError {
  constructor(message: string, quota: Quota) {
    const seconds = String(quota.resetSeconds);
    super({
      code: 'rate_limited',
      status: 429,
      message,
      headers: {
        'Retry-After': seconds,
        ...quotaHeaders(quota),
        // The fields of earlier revisions, which more clients read.
        'RateLimit-Limit': String(quota.limit),
        'RateLimit-Remaining': String(quota.remaining),
        'RateLimit-Reset': seconds,
      },
    });
  }
}

/** Seconds after which a caller may find one of a few places free again. */
const PLACE_FREE_SECONDS = 1;

/** The caller has as many at once of something as this service allows. Nothing was done. */
export class TooManyAtOnce extends DomainError {
  constructor(message: string, retryAfterSeconds = PLACE_FREE_SECONDS) {
    super({ code: 'rate_limited', status: 429, message, headers: { 'Retry-After': String(retryAfterSeconds) } });
  }
}

/** The network bits of an IPv6 address that one customer of a provider has at least. */
const IPV6_PREFIX_PARTS = 4;

/** The subject that the requests of an address count for: an IPv4 address, or the /64 of an IPv6 address. */
export function addressOf({ ip = '' }: Pick<Request, 'ip'>): string {
  if (!ipaddr.isValid(ip)) return ip;
  const address = ipaddr.process(ip);
  if (!(address instanceof ipaddr.IPv6)) return address.toString();
  const network = address.parts.slice(0, IPV6_PREFIX_PARTS).map((part) => part.toString(16));
  return `${network.join(':')}::/64`;
}
