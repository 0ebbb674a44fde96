/** Ed25519 signatures, as strictly as the runtime verifies them. */
import { createPublicKey, verify } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519';
import bs58 from 'bs58';

/** The first 32 bytes of a signature are the point R. */
const POINT_BYTES = 32;

/**
 * Whether an ed25519 signature of a message is the key's. False also for a key or a point R of small order: `node:crypto` accepts some of
 * them, and the runtime (`verify_strict` of ed25519-dalek) accepts none.
 */
export function isSignedBy(address: string, message: Uint8Array, signature: Uint8Array): boolean {
  const key = bs58.decode(address);
  try {
    if (isSmallOrder(key) || isSmallOrder(signature.subarray(0, POINT_BYTES))) return false;
    const x = Buffer.from(key).toString('base64url');
    return verify(null, message, createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' }), signature);
  } catch {
    return false; // Not a point on the curve.
  }
}

/** @throws Error if the bytes do not encode a point of the curve. */
function isSmallOrder(point: Uint8Array): boolean {
  return ed25519.Point.fromBytes(Uint8Array.from(point), true).isSmallOrder();
}
