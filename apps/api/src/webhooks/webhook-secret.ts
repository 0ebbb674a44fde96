import { createHmac, randomBytes } from 'node:crypto';

/** The text of a webhook's secret, as Standard Webhooks has it: `whsec_` and base64 of 32 random bytes. */

const MARK = 'whsec_';
const RANDOM_BYTES = 32;

export function newWebhookSecret(): string {
  return MARK + randomBytes(RANDOM_BYTES).toString('base64');
}

/** `X-Service-Signature`: the HMAC-SHA256 of the body in lower-case hex. Its key is the whole secret's text. */
export function serviceSignature(body: string, secret: string): string {
  return createHmac('sha256', secret).update(body).digest('hex');
}

/** An entry of `webhook-signature`, by Standard Webhooks: its key is the bytes behind the mark. `seconds`: Unix time. */
export function standardSignature({ id, seconds, body, secret }: { id: string; seconds: number; body: string; secret: string }): string {
  const key = Buffer.from(secret.slice(MARK.length), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')}`;
}
