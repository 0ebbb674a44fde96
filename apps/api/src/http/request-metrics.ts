import type { NextFunction, Request, Response } from 'express';
import type { Metrics } from '../runtime/metrics';

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
      const { path: route = 'none' } = (request as { route?: { path?: string } }).route ?? {};
      // Node's parser knows a fixed list of methods.
      note({ method: request.method, route: String(route), status: String(response.statusCode) }, performance.now() - from);
    });
    next();
  };
}
