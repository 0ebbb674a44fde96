import type { Response } from 'express';
import type { Answer } from './operator-action';

/** Sets status and headers of an answer. Returns its body. */
export function respond<T>(response: Response, { status, headers, body }: Answer<T>): T {
  response.status(status).set(headers);
  return body;
}
