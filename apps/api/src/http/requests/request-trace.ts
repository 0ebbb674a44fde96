import type { NextFunction, Request, Response } from 'express';
import { inRequestSpan } from '../../runtime/observability/tracing';
import { requestIdOf } from './request-id';
import { routeOf } from './request-metrics';

/** Makes each request a span, until its answer is sent: of the trace that its header `traceparent` names, or of a new one. */
export function requestTrace(request: Request, response: Response, next: NextFunction): void {
  const span = inRequestSpan(request.method, request.headers, next);
  span.setAttributes({ 'http.request.method': request.method, 'request.id': requestIdOf(response) });
  response.once('close', () => {
    const route = routeOf(request);
    span.updateName(`${request.method} ${route}`);
    span.setAttributes({ 'http.route': route, 'http.response.status_code': response.statusCode });
    span.end();
  });
}
