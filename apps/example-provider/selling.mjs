/** The adapter between Express and mppx: a response is made once for each payment, and has a receipt only if the work succeeded. */
import { createHash } from 'node:crypto';
import { NodeListener, Request as NodeRequest } from 'mppx/server';

/** The most responses that are cached, for payers who did not receive them. */
const MAX_RESPONSES = 10_000;

/**
 * An Express handler that sells the result of `work`. The middleware of mppx would add a receipt to an error, too, and would run the work
 * again for a repeated credential.
 *
 * @param {(request: Request) => Promise<any>} offer a configured mppx intent, such as `mppx.session({ amount: '100', … })`
 * @param {(request: import('express').Request) => unknown} work
 * @returns {import('express').RequestHandler}
 */
export function sold(offer, work) {
  /** @type {Map<string, Promise<unknown>>} */
  const responses = new Map();

  return async (request, response) => {
    const result = await offer(NodeRequest.fromNodeListener(request, response));
    if (result.status === 402) return NodeListener.sendResponse(response, result.challenge);
    const body = await once(request.get('authorization') ?? '', async () => work(request));
    return NodeListener.sendResponse(response, result.withReceipt(Response.json(body)));
  };

  /** @param {string} credential @param {() => Promise<unknown>} create */
  function once(credential, create) {
    const key = createHash('sha256').update(credential).digest('base64');
    const cached = responses.get(key);
    if (cached) return cached;
    const [oldest] = responses.keys();
    if (oldest !== undefined && responses.size >= MAX_RESPONSES) responses.delete(oldest);
    const response = create();
    responses.set(key, response);
    // Work that failed may be requested again, because it is paid for.
    response.catch(() => responses.delete(key));
    return response;
  }
}
