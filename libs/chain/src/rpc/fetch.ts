/** HTTP for web3.js: undici's `request` on a connection pool, which costs a third of `fetch`. */
import type { FetchFn } from '@solana/web3.js';
import { Agent, request } from 'undici';

/** Connections to one node, which bounds what a slow node can hold up. */
const MAX_CONNECTIONS = 64;
const KEEP_ALIVE_MS = 30_000;
/** Larger than any response that this service requests. */
const MAX_RESPONSE_BYTES = 32 * 1024 * 1024;

/** A `fetch` for `Connection` with a time-out for every call. Throws `TransportError`. */
export function boundedFetch(timeoutMs: number): FetchFn {
  const dispatcher = new Agent({
    connections: MAX_CONNECTIONS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectTimeout: timeoutMs,
    maxResponseSize: MAX_RESPONSE_BYTES,
  });
  return async (url, init) => {
    try {
      const { statusCode, body } = await request(String(url), {
        method: 'POST',
        dispatcher,
        headers: { 'Content-Type': 'application/json' },
        body: String(init?.body),
        signal: AbortSignal.timeout(timeoutMs),
      });
      const text = await body.text();
      // web3.js reads only these four; a complete Response would create streams for each.
      const answer = { ok: statusCode >= 200 && statusCode < 300, status: statusCode, statusText: '', text: () => Promise.resolve(text) };
      return answer as Response;
    } catch (error) {
      throw new TransportError(error);
    }
  };
}

/** No response. It extends `Error` because web3.js waits forever if what is thrown is no `Error` of its own realm. */
export class TransportError extends Error {
  /** Node's code, such as ECONNREFUSED, where there is one. */
  readonly code: string | undefined;

  constructor(cause: unknown) {
    super(`no response: ${String(cause)}`, { cause });
    this.code = typeof cause === 'object' && cause !== null && 'code' in cause ? String(cause.code) : undefined;
  }
}
