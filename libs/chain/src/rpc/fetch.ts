/** The HTTP under web3.js: undici's plain request on kept connections, which costs a third of `fetch`. */
import type { FetchFn } from '@solana/web3.js';
import { Agent, request } from 'undici';

/** Connections to one node; a node that is slow then holds up no more than these. */
const MAX_CONNECTIONS = 64;
const KEEP_ALIVE_MS = 30_000;
/** Larger than any answer that this service asks for. */
const MAX_RESPONSE_BYTES = 32 * 1024 * 1024;

/** A `fetch` for `Connection` in which every call ends within `timeoutMs`. */
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
      // web3.js reads these four and no more; a whole Response would build streams for each.
      const answer = { ok: statusCode >= 200 && statusCode < 300, status: statusCode, statusText: '', text: () => Promise.resolve(text) };
      return answer as Response;
    } catch (error) {
      throw new TransportError(error);
    }
  };
}

/** No answer came. web3.js waits for ever if what is thrown is no `Error` of its own realm. */
export class TransportError extends Error {
  /** Node's code, such as ECONNREFUSED, where there is one. */
  readonly code: string | undefined;

  constructor(cause: unknown) {
    super(`no answer: ${String(cause)}`, { cause });
    this.code = typeof cause === 'object' && cause !== null && 'code' in cause ? String(cause.code) : undefined;
  }
}
