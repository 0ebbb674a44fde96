/** Sends requests: time-outs, retries with back-off, and errors. */
import { APIConnectionError, APITimeoutError, APIUserAbortError, errorOf } from './errors';

/** Options of a single call. */
export interface RequestOptions {
  /** Ends the call. */
  signal?: AbortSignal;
  /** For one attempt, in milliseconds. */
  timeout?: number;
  /** How often a failed attempt is repeated. 0: never. */
  maxRetries?: number;
  /** The key of a request that takes one. Omitted: the client makes one. The same key is sent at every attempt. */
  idempotencyKey?: string;
  headers?: Record<string, string>;
}

export interface TransportOptions {
  fetch: typeof globalThis.fetch;
  timeout: number;
  maxRetries: number;
}

/** Back-off before the second attempt, in milliseconds. It doubles with each. */
const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 8_000;
/** The longest `Retry-After` that a call waits for. A longer one ends it with its error, whose headers say when to try again. */
const MAX_RETRY_AFTER_MS = 60_000;
/** Errors that may be gone at the next attempt. */
const TRANSIENT = [408, 429, 500, 502, 503, 504];

/** Sends requests by `fetch` and repeats those that may be repeated. */
export class Transport {
  constructor(private readonly defaults: TransportOptions) {}

  /**
   * A function in the form of `fetch` for one call.
   * @param isRepeatable Whether the service executes the same request once: a read, or one with an idempotency key. Another one is repeated
   *   only if it was surely not executed (429).
   */
  fetchFor(options: RequestOptions, isRepeatable: boolean): (request: Request) => Promise<Response> {
    const { timeout, maxRetries } = { ...this.defaults, ...defined(options) };
    return async (request) => {
      for (let attempt = 0; ; attempt++) {
        const isLast = attempt >= maxRetries;
        const outcome = await this.attempt(request.clone(), timeout, options.signal);
        if (outcome instanceof Response && outcome.ok) return outcome;
        const delay = isLast ? undefined : retryDelay(outcome, attempt, isRepeatable);
        if (delay === undefined) throw outcome instanceof Response ? await toError(outcome) : outcome;
        if (outcome instanceof Response) await outcome.body?.cancel();
        await pause(delay, options.signal);
      }
    };
  }

  /** One attempt: the response, or why there is none. @throws APIUserAbortError */
  private async attempt(request: Request, timeout: number, signal: AbortSignal | undefined): Promise<Response | APIConnectionError> {
    const timer = AbortSignal.timeout(timeout);
    try {
      return await this.defaults.fetch(new Request(request, { signal: signal ? AbortSignal.any([signal, timer]) : timer }));
    } catch (cause) {
      if (signal?.aborted) throw new APIUserAbortError('The request was aborted.', { cause });
      const service = `The service at ${new URL(request.url).origin}`;
      if (timer.aborted) return new APITimeoutError(`${service} did not answer within ${timeout} ms.`, { cause });
      const reason = reasonOf(cause);
      return new APIConnectionError(`${service} cannot be reached${reason === undefined ? '' : `: ${reason}`}.`, { cause });
    }
  }
}

/** Why there was no connection: the system's code, such as ECONNREFUSED, or the innermost message. */
function reasonOf(cause: unknown): string | undefined {
  let reason: string | undefined;
  // Not by `instanceof`: an error of another realm, such as a sandbox of the host, is an error too.
  for (let error = cause; typeof error === 'object' && error !== null; error = 'cause' in error ? error.cause : undefined) {
    if ('code' in error && typeof error.code === 'string') return error.code;
    if ('message' in error && typeof error.message === 'string' && error.message !== '') reason = error.message;
  }
  return reason;
}

/** How long to wait before the next attempt, in milliseconds. Undefined: do not repeat it. */
function retryDelay(outcome: Response | APIConnectionError, attempt: number, isRepeatable: boolean): number | undefined {
  const backOff = Math.min(FIRST_DELAY_MS * 2 ** attempt, MAX_DELAY_MS) * (1 - Math.random() / 4);
  if (!(outcome instanceof Response)) return isRepeatable ? backOff : undefined;
  const asked = retryAfter(outcome.headers);
  // A 409 with Retry-After is an object that another request is using right now.
  const isTransient = TRANSIENT.includes(outcome.status) || (outcome.status === 409 && asked !== undefined);
  if (!isTransient || (!isRepeatable && outcome.status !== 429)) return undefined;
  if (asked === undefined) return backOff;
  return asked <= MAX_RETRY_AFTER_MS ? Math.max(asked, backOff) : undefined;
}

/** `Retry-After` in milliseconds: it has seconds or a date. */
export function retryAfter(headers: Headers): number | undefined {
  const value = headers.get('Retry-After');
  if (value === null || value.trim() === '') return undefined;
  const ms = /^\s*\d+(\.\d+)?\s*$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(ms, 0);
}

async function toError(response: Response): Promise<Error> {
  const { status, headers } = response;
  const text = await response.text().catch(() => '');
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    // A proxy in between answered with a page of its own.
  }
  return errorOf({ status, headers, body: typeof body === 'object' && body !== null ? { ...body } : {} });
}

/** Waits. @throws APIUserAbortError at once when the signal is aborted. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer);
      reject(new APIUserAbortError('The request was aborted.', { cause: signal?.reason }));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    if (signal?.aborted) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });
}

/** The members that are given: `{ timeout: undefined }` means the default. */
function defined(options: RequestOptions): Partial<Pick<TransportOptions, 'timeout' | 'maxRetries'>> {
  return {
    ...(options.timeout !== undefined && { timeout: options.timeout }),
    ...(options.maxRetries !== undefined && { maxRetries: options.maxRetries }),
  };
}
