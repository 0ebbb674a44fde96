/** What stands between Express and mppx: an answer is made once for each payment, and carries a receipt only when it is one. */
import { createHash } from 'node:crypto';
import { NodeListener, Request as NodeRequest } from 'mppx/server';

/** Answers that are kept for payers who did not get them. */
const MOST_ANSWERS = 10_000;

/**
 * An Express handler that sells what `work` makes. mppx's own middleware would give a receipt to a failure too, and would make
 * the answer again for a credential that comes twice.
 *
 * @param {(request: Request) => Promise<any>} offer a configured mppx intent, such as `mppx.session({ amount: '100', … })`
 * @param {(request: import('express').Request) => unknown} work
 * @returns {import('express').RequestHandler}
 */
export function sold(offer, work) {
  /** @type {Map<string, Promise<unknown>>} */
  const answers = new Map();

  return async (request, response) => {
    const result = await offer(NodeRequest.fromNodeListener(request, response));
    if (result.status === 402) return NodeListener.sendResponse(response, result.challenge);
    const answer = await once(request.get('authorization') ?? '', async () => work(request));
    return NodeListener.sendResponse(response, result.withReceipt(Response.json(answer)));
  };

  /** @param {string} credential @param {() => Promise<unknown>} make */
  function once(credential, make) {
    const key = createHash('sha256').update(credential).digest('base64');
    const kept = answers.get(key);
    if (kept) return kept;
    const [oldest] = answers.keys();
    if (oldest !== undefined && answers.size >= MOST_ANSWERS) answers.delete(oldest);
    const answer = make();
    answers.set(key, answer);
    // What failed may be asked for again: it is paid for.
    answer.catch(() => answers.delete(key));
    return answer;
  }
}
