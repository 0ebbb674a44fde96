/** Text forms of bytes: base58, and a compact form for map keys. */
import bs58 from 'bs58';

/** The length of a public key or a hash. */
export const KEY_BYTES = 32;
const MOST_KNOWN_KEYS = 10_000;
/** The base58 of keys: a few keys stand in most answers. */
const knownKeys = new Map<string, string>();

/** Base58, the text form of keys, signatures and hashes. */
export function toBase58(bytes: Uint8Array): string {
  if (bytes.length !== KEY_BYTES) return bs58.encode(bytes);
  const key = keyOf(bytes);
  const known = knownKeys.get(key);
  if (known !== undefined) return known;
  const text = bs58.encode(bytes);
  if (knownKeys.size >= MOST_KNOWN_KEYS) knownKeys.clear();
  knownKeys.set(key, text);
  return text;
}

/** Decodes base58. Throws if the text is malformed. */
export function fromBase58(text: string): Buffer {
  return Buffer.from(bs58.decode(text));
}

/** A string that is equal for equal bytes, as a map key. Much cheaper than base58. */
export function keyOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}

/** The bytes of a `keyOf`. */
export function bytesOf(key: string): Buffer {
  return Buffer.from(key, 'latin1');
}
