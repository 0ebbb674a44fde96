/** Verifies deliveries of webhooks, in Node and wherever Web Crypto is. */
import { WebhookVerificationError } from './errors';
import type { components } from './schema';

/** An event, by its `type`. */
export type WebhookEvent = components['schemas']['Event'];

type HeaderValues = Headers | Record<string, string | string[] | undefined>;

export interface VerifyOptions {
  /** How old or new the `webhook-timestamp` may be, in seconds. Default: 300. A delivery that is repeated later has a new one. */
  toleranceSeconds?: number;
}

const TOLERANCE_SECONDS = 300;
const PREFIX = 'whsec_';

/**
 * Verifies that a delivery came from the service, by its Standard Webhooks headers (`webhook-*`), which also bound its age, or else by
 * `X-Service-Signature`. For 24 hours after a rotation both secrets sign.
 * @param rawBody The body as it was received, before parsing.
 * @param headers The headers of the request: of Node, of Express, or a `Headers`.
 * @param secret The webhook's secret, `whsec_…`, whole.
 * @returns The event. @throws WebhookVerificationError
 */
export async function verifyWebhook(
  rawBody: string | Uint8Array,
  headers: HeaderValues,
  secret: string,
  { toleranceSeconds = TOLERANCE_SECONDS }: VerifyOptions = {},
): Promise<WebhookEvent> {
  const body = typeof rawBody === 'string' ? new TextEncoder().encode(rawBody) : rawBody;
  const isGenuine = read(headers, 'webhook-signature')
    ? await hasStandardSignature(body, headers, secret, toleranceSeconds)
    : await hasServiceSignature(body, headers, secret);
  if (!isGenuine) throw new WebhookVerificationError('No signature of this delivery was made with the secret.');
  return JSON.parse(new TextDecoder().decode(body)) as WebhookEvent;
}

async function hasStandardSignature(body: Uint8Array, headers: HeaderValues, secret: string, toleranceSeconds: number): Promise<boolean> {
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => read(headers, name));
  if (!id || !timestamp || !signatures) throw new WebhookVerificationError('A webhook-* header is missing.');
  const age = Math.abs(Date.now() / 1000 - Number(timestamp));
  if (!(age <= toleranceSeconds)) throw new WebhookVerificationError('The webhook-timestamp is too old or too new.');
  if (!secret.startsWith(PREFIX)) throw new WebhookVerificationError('A secret begins with whsec_.');
  const key = fromBase64(secret.slice(PREFIX.length));
  const signed = concat(new TextEncoder().encode(`${id}.${timestamp}.`), body);
  const given = signatures.split(' ').flatMap((entry) => (entry.startsWith('v1,') ? [fromBase64(entry.slice(3))] : []));
  return isAny(given, await hmac(key, signed));
}

async function hasServiceSignature(body: Uint8Array, headers: HeaderValues, secret: string): Promise<boolean> {
  const given = [read(headers, 'x-service-signature'), read(headers, 'x-service-signature-previous')];
  const signatures = given.flatMap((value) => (value !== undefined && /^[0-9a-f]{64}$/.test(value) ? [fromHex(value)] : []));
  return isAny(signatures, await hmac(new TextEncoder().encode(secret), body));
}

/** The one value of a header. */
function read(headers: HeaderValues, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const entry = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  return Array.isArray(entry) ? entry[0] : entry;
}

async function hmac(key: Uint8Array, message: Uint8Array): Promise<Uint8Array> {
  const { subtle } = globalThis.crypto;
  const imported = await subtle.importKey('raw', copy(key), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  return new Uint8Array(await subtle.sign('HMAC', imported, copy(message)));
}

/** Compares in a time that does not depend on where they differ. */
function isAny(given: Uint8Array[], expected: Uint8Array): boolean {
  return given.some((signature) => {
    if (signature.length !== expected.length) return false;
    return signature.reduce((difference, byte, index) => difference | (byte ^ (expected[index] ?? 0)), 0) === 0;
  });
}

function fromBase64(text: string): Uint8Array {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}

function fromHex(text: string): Uint8Array {
  return Uint8Array.from(text.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
}

function concat(one: Uint8Array, other: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(one.length + other.length);
  bytes.set(one);
  bytes.set(other, one.length);
  return bytes;
}

/** In a buffer of its own, which Web Crypto's types ask for. */
function copy(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes);
}
