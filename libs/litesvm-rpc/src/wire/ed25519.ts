/** Ed25519 by node:crypto, twenty times as fast as pure JavaScript. */
import { createPrivateKey, createPublicKey, sign as signBytes } from 'node:crypto';

const PUBLIC_KEY_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');
const PRIVATE_KEY_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

/** A key pair from its 32-byte seed. */
export function keyPairOf(seed: Buffer): { publicKey: Buffer; sign(message: Buffer): Buffer } {
  const key = createPrivateKey({ key: Buffer.concat([PRIVATE_KEY_PREFIX, seed]), format: 'der', type: 'pkcs8' });
  const publicKey = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(PUBLIC_KEY_PREFIX.length);
  return { publicKey, sign: (message) => signBytes(null, message, key) };
}
