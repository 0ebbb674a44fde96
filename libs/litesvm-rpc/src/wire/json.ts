/** JSON with exact 64-bit numbers, which agave writes and JavaScript's numbers cannot hold. */
import { randomUUID } from 'node:crypto';

/** Marks a number that is kept as text. Random, so that no log line or memo can imitate it. */
const MARK = `${randomUUID()}:`;
const MARKED = new RegExp(`"${MARK}(\\d+)"`, 'g');

/** A 64-bit number in a value for `toJson`. */
export type JsonU64 = number | string;

export const U64_MAX: JsonU64 = `${MARK}18446744073709551615`;

/** A 64-bit number, written exactly at any size. */
export function u64(value: bigint): JsonU64 {
  return value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : `${MARK}${value}`;
}

/** The JSON text of a value, with its 64-bit numbers unquoted. */
export function toJson(value: unknown): string {
  const text = JSON.stringify(value);
  return text.includes(MARK) ? text.replace(MARKED, '$1') : text;
}
