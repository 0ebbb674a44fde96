import { checkExchange } from './contract';

/** A body that was parsed as JSON, or null if there was none. Tests read the members that they know. */
export type Body = any;

export interface Answer {
  status: number;
  body: Body;
  headers: Headers;
}

export interface Api {
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  put(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  patch(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  delete(path: string, headers?: Record<string, string>): Promise<Answer>;
}

const TIMEOUT_MS = 60_000;

/** A client of the service, with a key or without. Paths are complete: `/v1/accounts`. Every exchange must be as docs/openapi.json says. */
export function api(baseUrl: string, key?: string): Api {
  async function send(method: string, path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const response = await fetch(new URL(path, baseUrl), {
      method,
      headers: {
        ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? null : JSON.stringify(body),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }).catch((cause: Error) => {
      throw new Error(`${method} ${path} was not answered: ${cause.message}`, { cause });
    });
    const text = await response.text();
    const answer = { status: response.status, body: text === '' ? null : JSON.parse(text), headers: response.headers };
    checkExchange({ method, path, requestHeaders: headers, requestBody: body, ...answer });
    return answer;
  }
  return {
    get: (path, headers) => send('GET', path, undefined, headers),
    post: (path, body, headers) => send('POST', path, body ?? {}, headers),
    put: (path, body, headers) => send('PUT', path, body ?? {}, headers),
    patch: (path, body, headers) => send('PATCH', path, body ?? {}, headers),
    delete: (path, headers) => send('DELETE', path, undefined, headers),
  };
}
