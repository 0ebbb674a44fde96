/** Ed25519 signatures that lenient verifiers accept and the runtime rejects. */
import { createHash, randomBytes } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519';
import bs58 from 'bs58';
import type { Signer } from '#chain';

const ORDER = ed25519.Point.Fn.ORDER;
/** The neutral element: a point of order one. */
const NEUTRAL = Buffer.from([1, ...Array<number>(31).fill(0)]);

/** A key that signs with the neutral element as R: the verification equation holds. */
export class SmallOrderKey implements Signer {
  private readonly secret: ReturnType<typeof ed25519.utils.getExtendedPublicKey>;
  readonly address: string;

  constructor(seed: Uint8Array = randomBytes(32)) {
    this.secret = ed25519.utils.getExtendedPublicKey(seed);
    this.address = bs58.encode(this.secret.pointBytes);
  }

  sign(message: Uint8Array): Promise<Uint8Array> {
    const hash = createHash('sha512').update(NEUTRAL).update(this.secret.pointBytes).update(message).digest();
    const challenge = BigInt(`0x${hash.reverse().toString('hex')}`) % ORDER;
    const s = (challenge * this.secret.scalar) % ORDER;
    return Promise.resolve(Buffer.concat([NEUTRAL, Buffer.from(s.toString(16).padStart(64, '0'), 'hex').reverse()]));
  }
}

/** A signature of any message by the neutral element as the key: zero bytes after a neutral R. */
export const neutralKey = { address: bs58.encode(NEUTRAL), sign: (): Buffer => Buffer.concat([NEUTRAL, Buffer.alloc(32)]) };
