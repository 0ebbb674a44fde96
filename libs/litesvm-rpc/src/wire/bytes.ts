/** Text forms of bytes: base58, and a compact form for map keys. */
import bs58 from 'bs58';

/** Base58, the text form of keys, signatures and hashes. */
export function toBase58(bytes: Uint8Array): string {
  return bs58.encode(bytes);
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
