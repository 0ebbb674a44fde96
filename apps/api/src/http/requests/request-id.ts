import { randomUUID } from 'node:crypto';
import type { NextFunction, Request, Response } from 'express';
import { withLogIds } from '../../runtime/observability/log-context';

const HEADER = 'X-Request-Id';
const ACCEPTABLE = /^[A-Za-z0-9._:-]{1,128}$/;

/** Sets X-Request-Id on every response: the caller's, if it is safe to log, else a new one. The request's log lines carry it. */
export function requestId(request: Request, response: Response, next: NextFunction): void {
  const given = request.header(HEADER);
  const id = given !== undefined && ACCEPTABLE.test(given) ? given : randomUUID();
  response.setHeader(HEADER, id);
  withLogIds({ request_id: id }, next);
}

export function requestIdOf(response: Response): string {
  return String(response.getHeader(HEADER));
}
