/** A policy's list entries: 32 bytes, a public key or a category's name padded with zeros. */
import { PublicKey } from '@solana/web3.js';

export const ENTRY_BYTES = 32;
const WORD_BYTES = 8;

export function categoryEntry(category: string): Uint8Array {
  const entry = Buffer.alloc(ENTRY_BYTES);
  const length = entry.write(category, 'utf8');
  if (length !== Buffer.byteLength(category)) throw new Error('a category has at most 32 bytes');
  return entry;
}

export function categoryName(entry: Uint8Array): string {
  return Buffer.from(entry).toString('utf8').replace(/\0+$/, '');
}

export const addressEntry = (address: string): Uint8Array => new PublicKey(address).toBytes();

export const addressName = (entry: Uint8Array): string => new PublicKey(entry).toBase58();

/** The order of counterparties on chain: by four words of 64 bits, each with its lowest byte first. */
export function byWords(one: Uint8Array, other: Uint8Array): number {
  for (let word = 0; word < ENTRY_BYTES; word += WORD_BYTES)
    for (let byte = word + WORD_BYTES - 1; byte >= word; byte--) {
      const difference = (one[byte] ?? 0) - (other[byte] ?? 0);
      if (difference !== 0) return difference;
    }
  return 0;
}

/** Cuts bytes into entries. */
export function entriesOf(bytes: Uint8Array): Uint8Array[] {
  return Array.from({ length: bytes.length / ENTRY_BYTES }, (_, index) => bytes.subarray(index * ENTRY_BYTES, (index + 1) * ENTRY_BYTES));
}
