/** x402's extension offer-and-receipt: what a seller signs about its offers and about a payment. Pure: keys are read from their ids alone. */
import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import bs58 from 'bs58';
import { isObject, parseObject, textOf, type JsonObject } from '../json';
import type { PaymentRequired } from '../messages/payment-required';
import type { PaymentResponse } from '../messages/payment-response';

const EXTENSION = 'offer-receipt';
/** A seller signs one offer for each of `accepts`. */
const MAX_OFFERS = 100;
const MAX_CHARACTERS = 16_384;
const PART = /^[A-Za-z0-9_-]+$/;

/** A signed offer or receipt, and what its signature says. */
export interface SignedStatement {
  /** The JWS, or the JSON text of another format. */
  raw: string;
  /** The id of the key that it names; null if it names none. */
  signer: string | null;
  /** The signed content; null if it cannot be read. */
  payload: JsonObject | null;
  /** Why the signature is not verified; null if it is. */
  defect: string | null;
}

/** A signature algorithm of JWS: the key that it takes, and how. */
interface Algorithm {
  isKey: (key: KeyObject) => boolean;
  digest: 'sha256' | null;
}

const ALGORITHMS: Record<string, Algorithm> = {
  EdDSA: { isKey: (key) => key.asymmetricKeyType === 'ed25519', digest: null },
  ES256: { isKey: (key) => key.asymmetricKeyDetails?.namedCurve === 'prime256v1', digest: 'sha256' },
  ES256K: { isKey: (key) => key.asymmetricKeyDetails?.namedCurve === 'secp256k1', digest: 'sha256' },
};

/** The multicodec of a did:key, and the DER of a SubjectPublicKeyInfo before the bytes of the key. */
const KEY_FORMS = [
  { codec: 'ed01', prefix: '302a300506032b6570032100' },
  { codec: 'e701', prefix: '3036301006072a8648ce3d020106052b8104000a032200' },
  { codec: '8024', prefix: '3039301306072a8648ce3d020106082a8648ce3d030107032200' },
];

/** The signed offers of a 402. */
export function signedOffers({ extensions }: PaymentRequired): SignedStatement[] {
  const offers = infoOf(extensions)?.offers;
  return Array.isArray(offers) ? offers.slice(0, MAX_OFFERS).map(readStatement) : [];
}

/** The signed receipt of a PAYMENT-RESPONSE; undefined if it has none. */
export function signedReceipt({ members }: PaymentResponse): SignedStatement | undefined {
  const receipt = isObject(members.extensions) ? infoOf(members.extensions)?.receipt : undefined;
  return receipt === undefined || receipt === null ? undefined : readStatement(receipt);
}

function infoOf(extensions: JsonObject | undefined): JsonObject | undefined {
  const extension = extensions?.[EXTENSION];
  return isObject(extension) && isObject(extension.info) ? extension.info : undefined;
}

function readStatement(statement: unknown): SignedStatement {
  const text = textOf(statement) ?? '';
  if (!isObject(statement) || typeof statement.signature !== 'string')
    return { raw: text, signer: null, payload: null, defect: 'It has no signature.' };
  if (statement.format === 'jws') return readJws(statement.signature);
  const payload = isObject(statement.payload) ? statement.payload : null;
  return { raw: text, signer: null, payload, defect: `Signatures of the format ${String(statement.format)} are not verified.` };
}

function readJws(raw: string): SignedStatement {
  const [head = '', body = '', signature = '', ...more] = raw.split('.');
  const isJws = raw.length <= MAX_CHARACTERS && more.length === 0 && [head, body, signature].every((part) => PART.test(part));
  const header = isJws ? parseObject(decoded(head).toString()) : null;
  if (!header) return { raw, signer: null, payload: null, defect: 'It is not a compact JWS.' };
  const payload = parseObject(decoded(body).toString());
  const signer = typeof header.kid === 'string' ? header.kid : null;
  const defect = payload === null ? 'It signs something else than a JSON object.' : defectOf(header, `${head}.${body}`, decoded(signature));
  return { raw, signer, payload, defect };
}

/** Why a signature is not verified; null if it is. */
function defectOf({ kid, alg, crit }: JsonObject, signed: string, signature: Buffer): string | null {
  const algorithm = typeof alg === 'string' && Object.hasOwn(ALGORITHMS, alg) ? ALGORITHMS[alg] : undefined;
  if (!algorithm || crit !== undefined) return 'Its algorithm is not one of EdDSA, ES256 and ES256K.';
  if (typeof kid !== 'string') return 'It names no key.';
  const key = keyOf(kid);
  if (!key) return 'Its key is not in its id: keys of did:key and did:jwk are read, and none is fetched.';
  if (!algorithm.isKey(key)) return 'Its key is of another algorithm.';
  const isSigned = verify(algorithm.digest, Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' }, signature);
  return isSigned ? null : 'The signature is not of its key.';
}

/** The key that a did:key or did:jwk holds, with or without a fragment; null for another id. */
function keyOf(kid: string): KeyObject | null {
  const [did = ''] = kid.split('#');
  try {
    if (did.startsWith('did:jwk:')) {
      const key = parseObject(decoded(did.slice('did:jwk:'.length)).toString());
      return key && createPublicKey({ key, format: 'jwk' });
    }
    if (!did.startsWith('did:key:z')) return null;
    const bytes = Buffer.from(bs58.decode(did.slice('did:key:z'.length)));
    const form = KEY_FORMS.find(({ codec }) => bytes.subarray(0, 2).toString('hex') === codec);
    if (!form) return null;
    return createPublicKey({ key: Buffer.concat([Buffer.from(form.prefix, 'hex'), bytes.subarray(2)]), format: 'der', type: 'spki' });
  } catch {
    // An id that holds no key is the id of none.
    return null;
  }
}

function decoded(part: string): Buffer {
  return Buffer.from(part, 'base64url');
}
