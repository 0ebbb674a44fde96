/** Ed25519 by node:crypto, twenty times as fast as pure JavaScript. */
import { createPrivateKey, createPublicKey, sign as signBytes, verify, type KeyObject } from 'node:crypto';
import { keyOf } from './bytes';
import type { Transaction } from './transaction';

const PUBLIC_KEY_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');
const PRIVATE_KEY_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
const MOST_CACHED_KEYS = 10_000;
const cachedKeys = new Map<string, KeyObject>();

/** Whether all signatures of the transaction are valid. */
export function isFullySigned({ message, signatures }: Transaction): boolean {
  return signatures.every((signature, index) => isSignedBy(message.keys[index]!, message.bytes, signature));
}

/** A key pair from its 32-byte seed. */
export function keyPairOf(seed: Buffer): { publicKey: Buffer; sign(message: Buffer): Buffer } {
  const key = createPrivateKey({ key: Buffer.concat([PRIVATE_KEY_PREFIX, seed]), format: 'der', type: 'pkcs8' });
  const publicKey = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(PUBLIC_KEY_PREFIX.length);
  return { publicKey, sign: (message) => signBytes(null, message, key) };
}

function isSignedBy(signer: Buffer, message: Buffer, signature: Buffer): boolean {
  try {
    return verify(null, message, publicKeyObject(signer), signature);
  } catch {
    return false; // Not a point on the curve: no key can sign for it.
  }
}

function publicKeyObject(bytes: Buffer): KeyObject {
  const id = keyOf(bytes);
  const cached = cachedKeys.get(id);
  if (cached) return cached;
  const key = createPublicKey({ key: Buffer.concat([PUBLIC_KEY_PREFIX, bytes]), format: 'der', type: 'spki' });
  if (cachedKeys.size >= MOST_CACHED_KEYS) cachedKeys.clear();
  cachedKeys.set(id, key);
  return key;
}
