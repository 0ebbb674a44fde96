/** VAPID (RFC 8292): shows a push service which server sends a message. */
import { createPrivateKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';

/** How long an authorization is valid, in seconds. RFC 8292 allows 24 hours at most. */
const VALID_SECONDS = 12 * 60 * 60;
/** The first byte of an uncompressed point on a curve. */
const UNCOMPRESSED = Buffer.from([4]);

/** The key of this service. Browsers bind their subscription to its public part, so it stays the same. */
export interface VapidKey {
  /** The uncompressed point on P-256, in base64url. */
  publicKey: string;
  privateKey: KeyObject;
}

/** A new key, its private part as PKCS #8. */
export function newVapidKey(): { publicKey: string; pkcs8: Buffer } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const point = Buffer.concat([UNCOMPRESSED, Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]);
  return { publicKey: point.toString('base64url'), pkcs8: privateKey.export({ format: 'der', type: 'pkcs8' }) };
}

export function vapidKeyOf(publicKey: string, pkcs8: Buffer): VapidKey {
  return { publicKey, privateKey: createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' }) };
}

/**
 * The `Authorization` header of a message to an endpoint: a token for its origin. `contact` is a mailto or https URL at which the push
 * service's maintainers reach this service's, or undefined.
 */
export function vapidAuthorization(
  { publicKey, privateKey }: VapidKey,
  { endpoint, contact, now }: { endpoint: string; contact: string | undefined; now: Date },
): string {
  const claims = { aud: new URL(endpoint).origin, exp: Math.floor(now.getTime() / 1000) + VALID_SECONDS, sub: contact };
  const text = [{ typ: 'JWT', alg: 'ES256' }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  const signature = sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return `vapid t=${text}.${signature.toString('base64url')}, k=${publicKey}`;
}
