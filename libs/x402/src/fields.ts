/** Single fields of the protocol's objects, read strictly. */
import bs58 from 'bs58';

/** A whole number in base units: no sign, no leading zeros, no exponent. */
const AMOUNT = /^(0|[1-9]\d{0,19})$/;
const MAX_U64 = 2n ** 64n - 1n;
const ADDRESS_BYTES = 32;
const SIGNATURE_BYTES = 64;
/** 64 bytes have at most 88 characters. Longer texts are not decoded: that takes quadratic time. */
const MAX_BASE58_CHARACTERS = 88;
/** The most bytes of the memo that a seller names (`scheme_exact_svm`). */
export const MAX_MEMO_BYTES = 256;

/** An amount in base units (micro-USDC) that fits 64 bits, or null. */
export function parseAmount(value: unknown): bigint | null {
  if (typeof value !== 'string' || !AMOUNT.test(value)) return null;
  const amount = BigInt(value);
  return amount <= MAX_U64 ? amount : null;
}

/** The memo that a seller names: undefined for none or an empty one, which facilitators take for none; null if it is malformed. */
export function parseMemo(value: unknown): string | undefined | null {
  if (value === undefined || value === '') return undefined;
  return typeof value === 'string' && value.isWellFormed() && Buffer.byteLength(value) <= MAX_MEMO_BYTES ? value : null;
}

/** Whether a value is a Solana address: 32 bytes in base58. */
export function isAddress(value: unknown): value is string {
  return hasBytes(value, ADDRESS_BYTES);
}

/** Whether a value is the signature of a Solana transaction: 64 bytes in base58. */
export function isSignature(value: unknown): value is string {
  return hasBytes(value, SIGNATURE_BYTES);
}

/** A text of 1 to `maxCharacters`, or null. */
export function parseText(value: unknown, maxCharacters: number): string | null {
  return typeof value === 'string' && value !== '' && value.length <= maxCharacters ? value : null;
}

/** A text for a person: cut to `maxCharacters`; undefined if it is empty or not a text. */
export function noteOf(value: unknown, maxCharacters: number): string | undefined {
  return typeof value === 'string' && value !== '' ? value.slice(0, maxCharacters).toWellFormed() : undefined;
}

function hasBytes(value: unknown, count: number): value is string {
  if (typeof value !== 'string' || value.length > MAX_BASE58_CHARACTERS) return false;
  try {
    return bs58.decode(value).length === count;
  } catch {
    return false;
  }
}
