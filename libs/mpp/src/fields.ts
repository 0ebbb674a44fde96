/** Single fields of requests, receipts and vouchers, read strictly. */
import bs58 from 'bs58';
import type { JsonObject } from './json';

/** RFC 3339 in UTC or with an offset; the date must exist. */
const DATE_TIME = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.\d{1,9})?(?:Z|([+-])(\d\d):(\d\d))$/i;
/** A whole number in base units, without sign, leading zeros or exponent. */
const AMOUNT = /^(0|[1-9]\d{0,19})$/;
const MAX_U64 = 2n ** 64n - 1n;
const KEY_BYTES = 32;

/** The moment, or null for what is not a date, such as February 30th. */
export function parseDate(text: string): Date | null {
  const match = DATE_TIME.exec(text);
  if (!match) return null;
  const [year, month, day, hour, minute, second, , offsetHour, offsetMinute] = match.slice(1).map(Number) as number[];
  const lastDay = new Date(Date.UTC(year ?? 0, month ?? 0, 0)).getUTCDate();
  const fits = within(month, 1, 12) && within(day, 1, lastDay) && within(hour, 0, 23) && within(minute, 0, 59) && within(second, 0, 59);
  if (!fits || (match[7] !== undefined && !(within(offsetHour, 0, 23) && within(offsetMinute, 0, 59)))) return null;
  const date = new Date(text.toUpperCase());
  return Number.isNaN(date.getTime()) ? null : date;
}

function within(value: number | undefined, least: number, most: number): boolean {
  return value !== undefined && value >= least && value <= most;
}

/** An amount in base units (micro-USDC) that fits 64 bits, or null. */
export function parseAmount(value: unknown): bigint | null {
  if (typeof value !== 'string' || !AMOUNT.test(value)) return null;
  const amount = BigInt(value);
  return amount <= MAX_U64 ? amount : null;
}

/** Whether a value is 32 bytes in base58. */
export function isAddress(value: unknown): value is string {
  return typeof value === 'string' && decodeBase58(value)?.length === KEY_BYTES;
}

/** The bytes, or null for what is not base58. */
export function decodeBase58(text: string): Uint8Array | null {
  // Longer texts take quadratic time, and nothing in the protocol is longer than a signature.
  if (text.length > 100) return null;
  try {
    return bs58.decode(text);
  } catch {
    return null;
  }
}

/** A member that must be a text if it is there; undefined if it is not. @throws whatever `fail` throws. */
export function optionalText(
  object: JsonObject,
  name: string,
  fail: (message: string) => never,
  maxCharacters = 1_000,
): string | undefined {
  const value = object[name];
  if (value === undefined) return undefined;
  if (typeof value !== 'string' || value.length > maxCharacters)
    return fail(`${name} must be a text of at most ${maxCharacters} characters`);
  return value;
}
