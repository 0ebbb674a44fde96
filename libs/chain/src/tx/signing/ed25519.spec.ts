import { createPublicKey, verify } from 'node:crypto';
import bs58 from 'bs58';
import { SmallOrderKey, neutralKey } from '../../../../../test/support/small-order';
import { isSignedBy } from './ed25519';
import { LocalSigner } from './signer';

const MESSAGE = Buffer.from('a message');

const isAcceptedByNode = (address: string, signature: Uint8Array): boolean => {
  const x = Buffer.from(bs58.decode(address)).toString('base64url');
  return verify(null, MESSAGE, createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' }), signature);
};

describe('isSignedBy', () => {
  it('isSignedBy accepts a signature of the key and no other message or key', async () => {
    const [{ signer }, { signer: other }] = [LocalSigner.generate(), LocalSigner.generate()];
    const signature = await signer.sign(MESSAGE);
    expect(isSignedBy(signer.address, MESSAGE, signature)).toBe(true);
    expect(isSignedBy(signer.address, Buffer.from('another'), signature)).toBe(false);
    expect(isSignedBy(other.address, MESSAGE, signature)).toBe(false);
  });

  it('isSignedBy rejects a signature whose R has small order, which node:crypto accepts', async () => {
    const key = new SmallOrderKey();
    const signature = await key.sign(MESSAGE);
    expect(isAcceptedByNode(key.address, signature)).toBe(true);
    expect(isSignedBy(key.address, MESSAGE, signature)).toBe(false);
  });

  it('isSignedBy rejects a key of small order, whose signature node:crypto accepts', () => {
    expect(isAcceptedByNode(neutralKey.address, neutralKey.sign())).toBe(true);
    expect(isSignedBy(neutralKey.address, MESSAGE, neutralKey.sign())).toBe(false);
  });

  it('isSignedBy rejects bytes that are not points of the curve', () => {
    expect(isSignedBy(bs58.encode(Buffer.alloc(32, 2)), MESSAGE, Buffer.alloc(64, 0xff))).toBe(false);
  });
});
