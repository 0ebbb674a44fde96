/** Sends a provider's answer as it comes. */
import { Readable } from 'node:stream';
import { StreamableFile } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { LiveAnswer } from './live-answers';

/** Headers of a provider that are not passed on: of its connection, and those that tell a browser to act for this service's origin. */
const NOT_PASSED =
  /^(connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|set-cookie2?|clear-site-data|strict-transport-security|alt-svc|refresh|nel|report-to|reporting-endpoints|service-worker-allowed|sourcemap|access-control-.*|payment-id|payment-status)$/i;

/** Whether a request asks for the body of the provider's answer as it comes. An answer to HEAD has none. */
export function wantsLive(request: Request, { method, stream = false }: { method: string; stream?: boolean }): boolean {
  return method !== 'HEAD' && (stream || request.accepts(['json', 'text/event-stream']) === 'text/event-stream');
}

/**
 * The provider's answer: status, headers, and a body that is sent as it comes. A body that ends early ends the connection, so that it does not
 * look complete. Headers that this service sets on every answer stay as they are.
 */
export function liveResponse(live: LiveAnswer, response: Response): StreamableFile {
  response.once('close', () => live.close());
  response.status(live.status).set({ 'Payment-Id': live.paymentId, 'Payment-Status': live.paymentStatus });
  const passed = Object.entries(live.headers).filter(([name]) => !NOT_PASSED.test(name) && !response.hasHeader(name));
  for (const [name, value] of passed) response.setHeader(name, value);
  if (!response.hasHeader('Content-Type')) response.setHeader('Content-Type', 'application/octet-stream');
  response.flushHeaders();
  return new StreamableFile(Readable.from(live.body, { objectMode: false, highWaterMark: 1 })).setErrorHandler(
    () => void response.destroy(),
  );
}
