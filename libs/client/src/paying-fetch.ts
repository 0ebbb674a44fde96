/** `fetch` that pays: a 402 is met once, with a credential of the service. */
import { newKey } from './resource';
import type { Amount } from './money';
import type { Payments } from './resources/payments';

export interface PayingFetchOptions {
  /** The account that pays. */
  account_id: string;
  /** The most that one call may cost. */
  max_amount: Amount;
  /** An open session, or an open purse, out of which to pay. */
  session_id?: string;
  purse_id?: string;
  /** The `fetch` that calls the provider. Default: the global one. */
  fetch?: typeof globalThis.fetch;
}

/** The headers that a provider's receipt may be in. */
const RECEIPTS = ['Payment-Receipt', 'PAYMENT-RESPONSE', 'X-PAYMENT-RESPONSE'];
/** The longest body of a 402 that is read for its price. */
const MAX_BODY_BYTES = 65_536;
/** A part of the error of x402 facilitators that do not list the program of a transfer. */
const NOT_ALLOWED = 'smart_wallet_program_not_allowed';

/** Builds the function. It throws what `payments.authorize` throws: a decline is a `PolicyViolation`. */
export function payingFetch(payments: Payments, { fetch = globalThis.fetch, ...paying }: PayingFetchOptions): typeof globalThis.fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const first = await fetch(request.clone());
    if (first.status !== 402) return first;
    const price = await priceOf(first);
    // A 402 without a price is the caller's to read.
    if (!price) return first;
    await first.body?.cancel();
    const params = { ...paying, ...price, url: request.url, idempotency_key: newKey() };
    const sent = await payments.authorize(params, { signal: request.signal });
    let paid = await fetch(withCredential(request.clone(), sent));
    const refused = paid.status === 402 ? refusalOf(paid) : undefined;
    if (refused !== undefined) {
      const next = await payments.authorize({ ...params, refused }, { signal: request.signal });
      if (next.authorization !== sent.authorization) {
        await paid.body?.cancel();
        paid = await fetch(withCredential(request, next));
      }
    }
    const { payment_id } = sent;
    const receipt = RECEIPTS.map((name) => paid.headers.get(name)).find((value) => value !== null);
    // The service learns the outcome from the chain too: a receipt that cannot be recorded must not lose what was paid for.
    if (receipt) await payments.recordReceipt(payment_id, receipt).catch(() => undefined);
    return paid;
  };
}

function withCredential(request: Request, { header, authorization }: { header: string; authorization: string }): Request {
  const headers = new Headers(request.headers);
  headers.set(header, authorization);
  return new Request(request, { headers });
}

/** The reason of a facilitator that does not take transfers of the service's program; undefined for every other refusal: the payment has no other way then. */
function refusalOf({ headers }: Response): string | undefined {
  const reasons = [
    ['PAYMENT-RESPONSE', 'errorReason'],
    ['PAYMENT-REQUIRED', 'error'],
  ].map(([name = '', member = '']) => memberOf(headers.get(name), member));
  return reasons.find((reason) => reason?.includes(NOT_ALLOWED));
}

/** A text in a header that is JSON in base64. */
function memberOf(value: string | null, member: string): string | undefined {
  if (value === null) return undefined;
  try {
    const found = (JSON.parse(atob(value)) as Record<string, unknown> | null)?.[member];
    return typeof found === 'string' ? found : undefined;
  } catch {
    return undefined;
  }
}

/** The provider's demand: MPP challenges, or x402's requirements in a header or in a version 1 body. */
async function priceOf(
  response: Response,
): Promise<{ challenges: string[] } | { payment_required: string | Record<string, unknown> } | undefined> {
  const required = response.headers.get('PAYMENT-REQUIRED');
  const challenge = response.headers.get('WWW-Authenticate');
  const isMpp = challenge !== null && /(^|[\s,])payment\s/i.test(challenge);
  if (isMpp) return { challenges: [challenge] };
  if (required !== null) return { payment_required: required };
  if (Number(response.headers.get('Content-Length') ?? 0) > MAX_BODY_BYTES) return undefined;
  const text = await response.clone().text();
  try {
    const body: unknown = JSON.parse(text);
    const isPrice = typeof body === 'object' && body !== null && 'x402Version' in body && 'accepts' in body;
    return isPrice ? { payment_required: { ...body } } : undefined;
  } catch {
    return undefined;
  }
}
