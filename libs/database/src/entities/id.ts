import { randomBytes, randomInt } from 'node:crypto';

/** The kind of object that an id names, as its prefix. */
export type IdPrefix =
  | 'acct'
  | 'tr'
  | 'sess'
  | 'top'
  | 'chg'
  | 'purse'
  | 'pay'
  | 'wh'
  | 'evt'
  | 'dlv'
  | 'key'
  | 'op'
  | 'txn'
  | 'aud'
  | 'psh'
  | 'sig'
  | 'flt'
  | 'job';

/** Crockford's base 32 in lower case: no i, l, o or u, and its byte order is its numeric order. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const TIME_CHARACTERS = 10;
const RANDOM_BYTES = 10;
const RANDOM_CHARACTERS = 16;

/** Characters of a tag, 60 bits, and of the number before it, which distinguishes ids of one millisecond. */
const TAG_CHARACTERS = 12;
const COUNT_CHARACTERS = 4;
/** The numbers of a millisecond begin below half of them, so that counting on never overflows. */
const FIRST_COUNTS = 2 ** (5 * COUNT_CHARACTERS - 1);

let lastMillisecond = 0;
let lastRandom = 0n;
let lastTagged = { millisecond: 0, count: 0 };

/**
 * A new id such as `acct_01k9x…`: 48 bits of time and 80 random bits, so ids sort by their time of creation. Within one
 * process each id is greater than the one before it, even within a millisecond or after the clock stepped back.
 */
export function newId(prefix: IdPrefix, at: Date = new Date()): string {
  const fresh = BigInt(`0x${randomBytes(RANDOM_BYTES).toString('hex')}`);
  if (at.getTime() > lastMillisecond) {
    lastMillisecond = at.getTime();
    // The top bit stays free, so counting on within a millisecond never overflows.
    lastRandom = fresh >> 1n;
  } else {
    lastRandom += 1n + (fresh >> 48n);
  }
  return `${prefix}_${encode(BigInt(lastMillisecond), TIME_CHARACTERS)}${encode(lastRandom, RANDOM_CHARACTERS)}`;
}

/**
 * A new id that ends with a tag: with a digest of what was asked for, so that the id is found again by the same request. 48 bits of time, 20 bits
 * that start at random and count on within a millisecond, and the first 60 bits of `digest`. Sorts as the ids of `newId` do.
 */
export function taggedId(prefix: IdPrefix, digest: Uint8Array, at: Date = new Date()): string {
  const isLater = at.getTime() > lastTagged.millisecond;
  lastTagged = isLater
    ? { millisecond: at.getTime(), count: randomInt(FIRST_COUNTS) }
    : { millisecond: lastTagged.millisecond, count: lastTagged.count + 1 };
  const { millisecond, count } = lastTagged;
  return `${prefix}_${encode(BigInt(millisecond), TIME_CHARACTERS)}${encode(BigInt(count), COUNT_CHARACTERS)}${tagOf(digest)}`;
}

/** The tag of a digest: the last characters of the ids that `taggedId` makes with it. */
export function tagOf(digest: Uint8Array): string {
  const bits = Buffer.from(digest).readBigUInt64BE(0) >> 4n;
  return encode(bits, TAG_CHARACTERS);
}

/** The tag at the end of an id. */
export function tagIn(id: string): string {
  return id.slice(-TAG_CHARACTERS);
}

/** Whether a text has the form of such an id. What has not need not be looked up. */
export function isId(prefix: IdPrefix, text: string): boolean {
  return (
    text.length === prefix.length + 1 + TIME_CHARACTERS + RANDOM_CHARACTERS &&
    text.startsWith(`${prefix}_`) &&
    /^[a-z]+_[0-9a-hjkmnp-tv-z]+$/.test(text)
  );
}

/** No id of this kind made at `at` or later is below this: what a list since a moment begins with, by the index of its ids. */
export function firstIdAt(prefix: IdPrefix, at: Date): string {
  return `${prefix}_${encode(BigInt(Math.max(0, at.getTime())), TIME_CHARACTERS)}${ALPHABET.charAt(0).repeat(RANDOM_CHARACTERS)}`;
}

/** The 16 bytes that an id stands for: what the chain knows an account or a transfer by. */
export function idBytes(id: string): Buffer {
  let value = 0n;
  for (const character of id.slice(id.indexOf('_') + 1)) value = (value << 5n) | BigInt(ALPHABET.indexOf(character));
  return Buffer.from(value.toString(16).padStart(32, '0'), 'hex');
}

/** The id of this kind that 16 bytes stand for: the inverse of `idBytes`. */
export function idOf(prefix: IdPrefix, bytes: Uint8Array): string {
  const value = BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
  return `${prefix}_${encode(value, TIME_CHARACTERS + RANDOM_CHARACTERS)}`;
}

function encode(value: bigint, characters: number): string {
  let text = '';
  for (let index = 0; index < characters; index++) {
    text = ALPHABET.charAt(Number(value & 31n)) + text;
    value >>= 5n;
  }
  return text;
}
