import { ExponentialBackoff, handleWhen, retry } from 'cockatiel';
import { KeySourceError } from './key-source';

/** How long one call of a key service may take, in milliseconds. */
export const CALL_TIMEOUT_MS = 5_000;
/** Calls in all, if the service is busy or cannot be reached. */
export const ATTEMPTS = 3;
const FIRST_PAUSE_MS = 200;

const whileBusy = retry(
  handleWhen((error) => error instanceof KeySourceError && error.isPassing),
  { maxAttempts: ATTEMPTS - 1, backoff: new ExponentialBackoff({ initialDelay: FIRST_PAUSE_MS }) },
);

/** A POST, or a GET without a body, to a key service whose answers are JSON. Repeated while the service is busy. @throws KeySourceError */
export function callJson(
  service: string,
  url: string,
  { headers, body }: { headers: Record<string, string>; body?: object },
): Promise<Record<string, unknown>> {
  return whileBusy.execute(() => callOnce(service, url, headers, body));
}

async function callOnce(
  service: string,
  url: string,
  headers: Record<string, string>,
  body: object | undefined,
): Promise<Record<string, unknown>> {
  const signal = AbortSignal.timeout(CALL_TIMEOUT_MS);
  const request = body
    ? { method: 'POST', headers: { ...headers, 'Content-Type': 'application/json' }, body: JSON.stringify(body), signal }
    : { headers, signal };
  let answer: Response;
  let text: string;
  try {
    answer = await fetch(url, { ...request, redirect: 'error' });
    text = await answer.text();
  } catch (error) {
    throw new KeySourceError(`${service} cannot be reached at ${new URL(url).origin}`, true, { cause: error });
  }
  if (!answer.ok) throw new KeySourceError(`${service} answered ${answer.status}: ${text.slice(0, 200)}`, isBusy(answer.status));
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    throw new KeySourceError(`${service} answered with something that is no JSON`, false);
  }
}

/** Whether a status says that the service is busy or out of order for now. */
export function isBusy(status: number): boolean {
  return status === 429 || status >= 500;
}
