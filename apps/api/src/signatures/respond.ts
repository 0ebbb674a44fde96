import type { Response } from 'express';
import type { Answer } from './operator-action';

/** An answer of what has a version, which is its entity tag. */
export function versioned<T extends { version: number }>(body: T): Answer<T> {
  return { status: 200, headers: { ETag: `"${body.version}"` }, body };
}

/** Sets status and headers of an answer. Returns its body. */
export function respond<T>(response: Response, { status, headers, body }: Answer<T>): T {
  response.status(status).set(headers);
  return body;
}
