import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import bs58 from 'bs58';
import type { ApiKeyType } from './api-key.entity';

/** The text of an API key: `aps_op_` or `aps_ag_` and 32 random bytes in base58. */

const MARKS: Record<ApiKeyType, string> = { operator: 'aps_op_', agent: 'aps_ag_' };
const RANDOM_BYTES = 32;
const FORM = /^aps_(op|ag)_[1-9A-HJ-NP-Za-km-z]{32,44}$/;
/** Mark and eight characters: enough to find one key among many, too few to help a guesser with the other 36. */
const PREFIX_CHARACTERS = 15;

export function newSecret(type: ApiKeyType): string {
  return MARKS[type] + bs58.encode(randomBytes(RANDOM_BYTES));
}

/** The secret in an Authorization header, when it has the form of one. */
export function secretIn(authorization: string | undefined): string | undefined {
  const [, secret] = /^Bearer +([^\s]+) *$/i.exec(authorization ?? '') ?? [];
  return secret !== undefined && FORM.test(secret) ? secret : undefined;
}

export function prefixOf(secret: string): string {
  return secret.slice(0, PREFIX_CHARACTERS);
}

export function hashOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

/** Compares without telling by its duration how much was right. */
export function matches(secret: string, hash: Buffer): boolean {
  return timingSafeEqual(hashOf(secret), hash);
}
