import type { NextFunction, Request, Response } from 'express';
import type { Metrics } from '../../runtime/observability/metrics';

/** Measures each request until its answer is sent, by method, route and status. A path that no route matches has the route `none`. */
export function requestMetrics(metrics: Metrics): (request: Request, response: Response, next: NextFunction) => void {
  const note = metrics.durations('http_request_duration_seconds', 'Requests, until the last byte of the answer.', [
    'method',
    'route',
    'status',
  ]);
  return (request, response, next) => {
    const from = performance.now();
    response.once('close', () => {
      // Node's parser knows a fixed list of methods.
      note({ method: request.method, route: routeOf(request), status: String(response.statusCode) }, performance.now() - from);
    });
    next();
  };
}

/** The route that a request matched; `none` if it matched none. */
export function routeOf(request: Request): string {
  const { path = 'none' } = (request as { route?: { path?: string } }).route ?? {};
  return String(path);
}
