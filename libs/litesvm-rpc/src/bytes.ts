/** Text forms of bytes: base58 for people, and a compact form to look keys up by. */
import bs58 from 'bs58';

/** Base58, as Solana writes keys, signatures and hashes. */
export function toBase58(bytes: Uint8Array): string {
  return bs58.encode(bytes);
}

/** The bytes that a base58 text stands for; throws when it is not one. */
export function fromBase58(text: string): Buffer {
  return Buffer.from(bs58.decode(text));
}

/** A string that equals another exactly when the bytes do; much cheaper than base58. */
export function keyOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}

/** The bytes behind a key made by `keyOf`. */
export function bytesOf(key: string): Buffer {
  return Buffer.from(key, 'latin1');
}
