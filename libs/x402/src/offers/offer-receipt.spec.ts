import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import bs58 from 'bs58';
import { signedOffers, signedReceipt } from './offer-receipt';

const ed25519 = generateKeyPairSync('ed25519');
const didKey = (codec: string, key: Buffer): string => `did:key:z${bs58.encode(Buffer.concat([Buffer.from(codec, 'hex'), key]))}`;
const ed25519Did = didKey('ed01', ed25519.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32));
/** The compressed point of a key on a curve. */
const compressed = (key: KeyObject): Buffer => {
  const { x = '', y = '' } = key.export({ format: 'jwk' });
  const odd = (Buffer.from(y, 'base64url').at(-1) ?? 0) & 1;
  return Buffer.concat([Buffer.from([2 + odd]), Buffer.from(x, 'base64url')]);
};
const encoded = (object: object): string => Buffer.from(JSON.stringify(object)).toString('base64url');

function jws(kid: string | undefined, alg: string, key: KeyObject, payload: object = { payTo: 'a' }): string {
  const signed = `${encoded({ alg, kid })}.${encoded(payload)}`;
  const digest = alg === 'EdDSA' ? null : 'sha256';
  return `${signed}.${sign(digest, Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
}
const offerOf = (signature: unknown, more: object = { format: 'jws' }) => {
  const extensions = { 'offer-receipt': { info: { offers: [{ ...more, signature }] } } };
  return signedOffers({ version: 2, error: undefined, accepts: [], resource: undefined, extensions })[0];
};

test.each(['secp256k1', 'prime256v1'])('an offer that a did:key on %s signed is verified', (namedCurve) => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve });
  const [codec, alg] = namedCurve === 'secp256k1' ? ['e701', 'ES256K'] : ['8024', 'ES256'];
  const raw = jws(didKey(codec, compressed(publicKey)), alg, privateKey);
  expect(offerOf(raw)).toMatchObject({ raw, payload: { payTo: 'a' }, defect: null });
});

test('an offer that an Ed25519 did:key or did:jwk signed is verified, whatever the fragment', () => {
  for (const kid of [ed25519Did, `${ed25519Did}#key-1`, `did:jwk:${encoded(ed25519.publicKey.export({ format: 'jwk' }))}`])
    expect(offerOf(jws(kid, 'EdDSA', ed25519.privateKey))).toMatchObject({ signer: kid, defect: null });
});

test('an offer with another payload, of another key or algorithm, or of a key that is to be fetched is not verified', () => {
  const signed = jws(ed25519Did, 'EdDSA', ed25519.privateKey);
  const [head, , signature] = signed.split('.');
  const { privateKey } = generateKeyPairSync('ed25519');
  const defect = (raw: unknown, more?: object): unknown => offerOf(raw, more)?.defect;
  expect(defect(`${head}.${encoded({ payTo: 'b' })}.${signature}`)).toBe('The signature is not of its key.');
  expect(defect(jws(ed25519Did, 'EdDSA', privateKey))).toBe('The signature is not of its key.');
  expect(defect(signed.replace(`${head}`, encoded({ alg: 'ES256', kid: ed25519Did })))).toBe('Its key is of another algorithm.');
  expect(defect(signed.replace(`${head}`, encoded({ alg: 'none', kid: ed25519Did })))).toMatch('not one of EdDSA');
  expect(defect(jws('did:web:api.example.com#key-1', 'EdDSA', ed25519.privateKey))).toMatch('none is fetched');
  expect(defect(jws(undefined, 'EdDSA', ed25519.privateKey))).toBe('It names no key.');
  expect(defect(`0x${'0'.repeat(130)}`, { format: 'eip712', payload: {} })).toMatch('eip712 are not verified');
  expect(['a.b', 'a.b.c', '..', 7].map((raw) => defect(raw) === null)).toEqual([false, false, false, false]);
});

test('a settlement without the extension has no receipt, and one with it has what it signs', () => {
  const response = (members: Record<string, unknown>) =>
    signedReceipt({
      success: true,
      transaction: undefined,
      network: undefined,
      payer: undefined,
      errorReason: undefined,
      amount: undefined,
      members,
    });
  const signature = jws(ed25519Did, 'EdDSA', ed25519.privateKey, { payer: 'p' });
  expect(response({})).toBeUndefined();
  expect(response({ extensions: { 'offer-receipt': { info: { receipt: { format: 'jws', signature } } } } })).toMatchObject({
    payload: { payer: 'p' },
    defect: null,
  });
});
