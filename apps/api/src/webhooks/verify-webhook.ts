/** Verifies that a delivery came from this service. For receivers to copy: uses only Node. */
import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * @param rawBody The request's body as it was received, before parsing.
 * @param header The value of `X-Service-Signature` (or, for 24 hours after a rotation, of `X-Service-Signature-Previous`).
 * @param secret The webhook's secret, `whsec_…`, whole.
 */
export function verifyWebhook(rawBody: string | Uint8Array, header: string | undefined, secret: string): boolean {
  if (header === undefined || !/^[0-9a-f]{64}$/.test(header)) return false;
  const expected = createHmac('sha256', secret).update(rawBody).digest();
  return timingSafeEqual(Buffer.from(header, 'hex'), expected);
}
