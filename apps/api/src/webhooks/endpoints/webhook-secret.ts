import { createHmac, randomBytes } from 'node:crypto';

/** A webhook's secret in the form of Standard Webhooks (`whsec_` and 32 random bytes in base64), and the signatures made with it. */

const PREFIX = 'whsec_';
const RANDOM_BYTES = 32;

/** A new random secret. */
export function newWebhookSecret(): string {
  return PREFIX + randomBytes(RANDOM_BYTES).toString('base64');
}

/** `X-Service-Signature`: the HMAC-SHA256 of the body in lower-case hex, keyed with the text of the whole secret. */
export function serviceSignature(body: string, secret: string): string {
  return createHmac('sha256', secret).update(body).digest('hex');
}

/** An entry of `webhook-signature` by Standard Webhooks, keyed with the bytes after the prefix. `seconds`: Unix time. */
export function standardSignature({ id, seconds, body, secret }: { id: string; seconds: number; body: string; secret: string }): string {
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')}`;
}
