/** Sends an event as a webhook's delivery. */
import { createHmac, randomUUID } from 'node:crypto';
import type { Schemas } from '#client';

export const SECRET_PREFIX = 'whsec_';
/** The service's time-out for a receiver, in milliseconds. */
const TIMEOUT_MS = 15_000;

export interface ForwardOptions {
  url: string;
  /** The signing secret, `whsec_…`. */
  secret: string;
  signal: AbortSignal;
}

/** Posts an event once, with the headers of a delivery. Returns the receiver's status, or why there is none. */
export async function forward(event: Schemas['Event'], { url, secret, signal }: ForwardOptions): Promise<string> {
  const body = JSON.stringify(event);
  const limited = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: headersOf(event.id, body, secret),
      body,
      redirect: 'manual',
      signal: limited,
    });
    await response.body?.cancel();
    return String(response.status);
  } catch (error) {
    const { cause, message } = error instanceof Error ? error : new Error(String(error));
    return cause instanceof Error ? cause.message || String(Reflect.get(cause, 'code')) : message;
  }
}

/** The headers of a first attempt, as the service signs it. */
export function headersOf(id: string, body: string, secret: string, now = Date.now()): Record<string, string> {
  const seconds = Math.floor(now / 1000);
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64');
  return {
    'Content-Type': 'application/json',
    'User-Agent': 'agent-payment-service',
    'X-Service-Signature': createHmac('sha256', secret).update(body).digest('hex'),
    'X-Service-Event-Id': id,
    'X-Service-Delivery-Id': `dlv_${randomUUID()}`,
    'X-Service-Attempt': '1',
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': `v1,${signature}`,
  };
}
