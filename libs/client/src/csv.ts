/** Answers in CSV, which are read while they come. */
import type { RequestOptions } from './transport';

/** How long an export may take in all, in milliseconds. */
const EXPORT_TIMEOUT_MS = 60 * 60_000;

export function csvOptions(options: RequestOptions): RequestOptions {
  return { timeout: EXPORT_TIMEOUT_MS, ...options, headers: { ...options.headers, Accept: 'text/csv' } };
}

export function streamOf({ response }: { response: Response }): ReadableStream<Uint8Array> {
  if (!response.body) throw new Error('The response has no body.');
  return response.body;
}
