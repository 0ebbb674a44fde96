import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import bs58 from 'bs58';
import type { ApiKeyType } from './api-key.entity';

/** The text of an API key: `aps_op_` or `aps_ag_` and 32 random bytes in base58. */

const MARKERS: Record<ApiKeyType, string> = { operator: 'aps_op_', agent: 'aps_ag_' };
const RANDOM_BYTES = 32;
/** The characters that nearly all 32 random bytes have in base58, at least. */
const USUAL_CHARACTERS = 43;
const FORMAT = /^aps_(op|ag)_[1-9A-HJ-NP-Za-km-z]{32,44}$/;
/** The marker and eight characters: enough to find a key by, and too few to help guessing the other 36. */
const PREFIX_CHARACTERS = 15;

/** A new random secret. */
export function newSecret(type: ApiKeyType): string {
  return MARKERS[type] + bs58.encode(randomBytes(RANDOM_BYTES));
}

/** The well-formed secret in an Authorization header, or undefined. */
export function secretIn(authorization: string | undefined): string | undefined {
  const [, secret] = /^Bearer +([^\s]+) *$/i.exec(authorization ?? '') ?? [];
  return secret !== undefined && FORMAT.test(secret) ? secret : undefined;
}

/** The reason for which an Authorization header has no key of the right form; undefined if it has one. The header is not repeated. */
export function defectOf(authorization: string | undefined): string | undefined {
  if (authorization === undefined) return 'The Authorization header is missing: send Authorization: Bearer <key>.';
  if (secretIn(authorization) !== undefined) return undefined;
  const [scheme = '', key = ''] = authorization.trim().split(/\s+/);
  if (Object.values(MARKERS).some((marker) => scheme.startsWith(marker)))
    return 'The scheme is missing before the key: send Authorization: Bearer <key>.';
  if (scheme.toLowerCase() !== 'bearer') return 'The scheme of the Authorization header must be Bearer: send Authorization: Bearer <key>.';
  if (!Object.values(MARKERS).some((marker) => key.startsWith(marker)))
    return `This key is not known to this service, whose keys begin with ${Object.values(MARKERS).join(' or ')}.`;
  return 'This API key is not complete, or has characters that no key has: copy it again as a whole.';
}

/** Whether a secret is shorter than any but one of a thousand keys: it was cut as it was copied. */
export function isCut(secret: string): boolean {
  const [, random = ''] = /^aps_[a-z]+_(.*)$/.exec(secret) ?? [];
  return random.length < USUAL_CHARACTERS;
}

/** The first characters of a secret, which are stored and shown. */
export function prefixOf(secret: string): string {
  return secret.slice(0, PREFIX_CHARACTERS);
}

/** SHA-256 of a secret. */
export function hashOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

/** Whether a secret has this hash. Compares in constant time. */
export function matches(secret: string, hash: Buffer): boolean {
  return timingSafeEqual(hashOf(secret), hash);
}
