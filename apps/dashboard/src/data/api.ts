/** Calls of the service. The browser adds the session's cookie, and the header proves that this page made the call. */
import type { Page } from './types';

const TIMEOUT_MS = 60_000;

/** An error response, or no response (status 0). */
export class Problem extends Error {
  constructor(
    message: string,
    readonly status: number,
    readonly code: string,
    readonly details: { field: string; message: string }[] = [],
  ) {
    super(message);
  }
}

type Listener = (problem: Problem) => void;
const listeners = new Set<Listener>();

/**
 * Calls `listener` with every problem: an ended session or an unavailable chain concerns the whole page. Returns a function that stops it.
 */
export function onProblem(listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Calls the service. Returns the decoded body. @throws Problem */
export async function call<T>(method: string, path: string, body?: object, headers: Record<string, string> = {}): Promise<T> {
  const response = await send(method, path, body, headers);
  const text = await response.text();
  if (response.ok) return (text === '' ? undefined : JSON.parse(text)) as T;
  throw reported(problemIn(response.status, text));
}

async function send(method: string, path: string, body: object | undefined, headers: Record<string, string>): Promise<Response> {
  try {
    return await fetch(path, {
      method,
      headers: { 'X-Dashboard': '1', ...(body && { 'Content-Type': 'application/json' }), ...headers },
      body: body ? JSON.stringify(body) : null,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
  } catch {
    throw reported(new Problem('The service does not answer.', 0, 'no_answer'));
  }
}

function problemIn(status: number, text: string): Problem {
  try {
    const { message, error, details } = JSON.parse(text) as {
      message: string;
      error: string;
      details?: { field: string; message: string }[];
    };
    return new Problem(message, status, error, details);
  } catch {
    return new Problem(`The service answered ${status}.`, status, 'unknown');
  }
}

function reported(problem: Problem): Problem {
  for (const listener of listeners) listener(problem);
  return problem;
}

export const get = <T>(path: string): Promise<T> => call('GET', path);
export const post = <T>(path: string, body: object = {}): Promise<T> => call('POST', path, body);

/** A path with a query of the values that are not empty. */
export function withQuery(path: string, values: Record<string, string | number | undefined>): string {
  const given = Object.entries(values).filter(([, value]) => value !== undefined && value !== '');
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()}`;
}

/** The rows of a list, read page by page, at most `most`. */
export async function everyRow<T>(path: string, values: Record<string, string | number | undefined>, most: number): Promise<Page<T>> {
  const rows: T[] = [];
  let cursor: string | null = null;
  do {
    const page: Page<T> = await get(withQuery(path, { ...values, limit: Math.min(100, most - rows.length), cursor: cursor ?? undefined }));
    rows.push(...page.data);
    cursor = page.cursor;
  } while (cursor !== null && rows.length < most);
  return { data: rows, cursor, has_more: cursor !== null };
}

/** Calls `work` for all items, `atOnce` at a time. Returns the items for which it failed, with the errors. */
export async function forEach<T>(items: T[], work: (item: T) => Promise<unknown>, atOnce = 4): Promise<{ item: T; problem: unknown }[]> {
  const failed: { item: T; problem: unknown }[] = [];
  const queue = [...items];
  const worker = async (): Promise<void> => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) {
      const current = item;
      await work(current).catch((problem: unknown) => failed.push({ item: current, problem }));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return failed;
}

/** A new idempotency key. `crypto.randomUUID` is missing on a page that was loaded by http from another machine. */
export function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
