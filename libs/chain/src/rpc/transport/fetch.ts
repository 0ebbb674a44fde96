/** HTTP for web3.js: undici's `request` on a connection pool, which costs a third of `fetch`. */
import type { FetchFn } from '@solana/web3.js';
import { Agent, request } from 'undici';
import { type NodeAddress, TokenBucket } from './node-address';

/** Connections to one node, which bounds what a slow node can hold up. */
const MAX_CONNECTIONS = 64;
const KEEP_ALIVE_MS = 30_000;
/** Larger than any response that this service requests. */
const MAX_RESPONSE_BYTES = 32 * 1024 * 1024;

/** A request to a node that has ended. `node` is its name. A batch has the method of its first call. */
export interface RpcCallNoted {
  node: string;
  method: string;
  outcome: 'answered' | 'busy' | 'no_answer';
  ms: number;
}

/** How long a node that answers 429 is left alone if it does not say, and at most. */
const BUSY_MS = 1_000;
const MAX_BUSY_MS = 30_000;
const TOO_MANY_REQUESTS = 429;

/**
 * A `fetch` for `Connection` to one node, with a time-out for every call. Throws `TransportError`, and `BusyError` for a 429, or without a
 * request if the node has had its calls of this second.
 */
export function boundedFetch(
  { url: nodeUrl, name: node, rps }: NodeAddress,
  timeoutMs: number,
  note: (call: RpcCallNoted) => void = () => undefined,
): FetchFn {
  const bucket = rps === undefined ? undefined : new TokenBucket(rps);
  const dispatcher = new Agent({
    connections: MAX_CONNECTIONS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectTimeout: timeoutMs,
    maxResponseSize: MAX_RESPONSE_BYTES,
  });
  return async (_url, init) => {
    const waitMs = bucket?.take(String(init?.body).split('"method":').length - 1) ?? 0;
    if (waitMs > 0) throw new BusyError(waitMs);
    const from = performance.now();
    const noted = (outcome: RpcCallNoted['outcome']): void => {
      const method = /"method":"(\w+)"/.exec(String(init?.body))?.[1] ?? 'none';
      note({ node, method, outcome, ms: performance.now() - from });
    };
    try {
      const { statusCode, headers, body } = await request(nodeUrl, {
        method: 'POST',
        dispatcher,
        headers: { 'Content-Type': 'application/json' },
        body: String(init?.body),
        signal: AbortSignal.timeout(timeoutMs),
      });
      const text = await body.text();
      noted(statusCode === TOO_MANY_REQUESTS ? 'busy' : 'answered');
      if (statusCode === TOO_MANY_REQUESTS) throw new BusyError(busyMsOf(String(headers['retry-after'])));
      // web3.js reads only these four; a complete Response would create streams for each.
      const answer = { ok: statusCode >= 200 && statusCode < 300, status: statusCode, statusText: '', text: () => Promise.resolve(text) };
      return answer as Response;
    } catch (error) {
      if (error instanceof TransportError) throw error;
      noted('no_answer');
      throw new TransportError(error);
    }
  };
}

/** How long to wait by a `Retry-After` in seconds; the default for anything else, also a date. */
function busyMsOf(retryAfter: string): number {
  return /^\d{1,9}$/.test(retryAfter) ? Math.min(Number(retryAfter) * 1_000, MAX_BUSY_MS) : BUSY_MS;
}

/** No response. It extends `Error` because web3.js waits forever unless an `Error` of its own realm is thrown. */
export class TransportError extends Error {
  /** Node's code, such as ECONNREFUSED, if there is one. */
  readonly code: string | undefined;

  constructor(cause: unknown) {
    super(`no response: ${String(cause)}`, { cause });
    this.code = typeof cause === 'object' && cause !== null && 'code' in cause ? String(cause.code) : undefined;
  }
}

/** The node has too much to do and did nothing. It may be called again after `retryAfterMs`. */
export class BusyError extends TransportError {
  constructor(readonly retryAfterMs: number) {
    super('the node takes no more calls for now');
  }
}
