import bs58 from 'bs58';
import { aChallenge, anAddress, encoded, errorOf } from '../../test/samples';
import { parseCredential, serialiseCredential } from './credential';
import { parseReceipt, serialiseReceipt } from './receipt';
import { parseSignedVoucher, signedVoucher, voucherBytes } from '../requests/voucher';

const echo = { id: 'a', realm: 'r', method: 'solana', intent: 'charge', request: 'e30' };
const credential = (changes: object = {}): string => `Payment ${encoded({ challenge: echo, payload: { x: 1 }, ...changes })}`;
const credentialError = (value: string): string => errorOf(() => parseCredential(value));

test('a credential has challenge, payload and source', () => {
  const optional = { description: 'd', digest: 'g', expires: 'e', header: 'h', opaque: 'o' };
  expect(parseCredential(credential({ challenge: { ...echo, ...optional, more: 1 }, source: 'did:x' }))).toEqual({
    challenge: { ...echo, ...optional },
    payload: { x: 1 },
    source: 'did:x',
  });
  expect(Object.keys(parseCredential(credential()))).toEqual(['challenge', 'payload']);
});

test('the scheme of a credential may be in any case and followed by several spaces', () => {
  expect(credentialError(credential().replace('Payment ', 'pAYMENT   '))).toBe('none');
});

test.each([
  ['Basic x', 'begins with "Payment" and goes on in base64url'],
  ['xPayment e30', 'begins with "Payment" and goes on in base64url'],
  ['Payment', 'begins with "Payment" and goes on in base64url'],
  ['Payment a+b', 'begins with "Payment" and goes on in base64url'],
  [`Payment ${encoded([])}`, 'is a JSON object in base64url'],
  [credential({ challenge: [] }), 'has a challenge and a payload'],
  [credential({ payload: 7 }), 'has a challenge and a payload'],
  [credential({ challenge: { ...echo, expires: 7 } }), 'repeats the challenge’s parameters as texts'],
  [credential({ challenge: { ...echo, id: undefined } }), 'repeats the challenge’s id'],
  [credential({ challenge: { ...echo, realm: undefined } }), 'repeats the challenge’s realm'],
  [credential({ challenge: { ...echo, method: undefined } }), 'repeats the challenge’s method'],
  [credential({ challenge: { ...echo, intent: undefined } }), 'repeats the challenge’s intent'],
  [credential({ challenge: { ...echo, request: undefined } }), 'repeats the challenge’s request'],
  [credential({ source: 7 }), 'names its source as a text'],
  ['x'.repeat(32_769), 'has at most 32768 characters'],
  [`Payment ${'A'.repeat(32_760)}`, 'is a JSON object in base64url'],
])('a malformed credential is rejected with the reason (case %#)', (value, reason) => {
  expect(credentialError(value)).toBe(`credential_invalid: a Payment credential ${reason}`);
});

test('serialiseCredential repeats the parameters that the challenge has', () => {
  const challenge = aChallenge({}, { expires: '2026-11-21T10:00:00Z' });
  const { expiresAt: _expiresAt, requestObject: _requestObject, ...repeated } = challenge;
  expect(parseCredential(serialiseCredential({ challenge, payload: {}, source: 'did:x' }))).toEqual({
    challenge: repeated,
    payload: {},
    source: 'did:x',
  });
});

const receipt = { status: 'success', method: 'solana', timestamp: '2026-11-21T10:00:00Z', reference: 'x' };
const receiptError = (changes: object): string => errorOf(() => parseReceipt(encoded({ ...receipt, ...changes })));

test('a receipt has its members and those of its method', () => {
  const full = { ...receipt, intent: 'charge', challengeId: 'a', spent: '7' };
  const { spent: _spent, ...members } = full;
  expect(parseReceipt(` ${encoded(full)} `)).toEqual({ ...members, members: full });
  expect(Object.keys(parseReceipt(encoded(receipt)))).toEqual(['status', 'method', 'timestamp', 'reference', 'members']);
});

test('serialiseReceipt writes members of the method and does not let them replace its own', () => {
  const value = serialiseReceipt({ ...receipt, status: 'success', members: { status: 'no', spent: '7' } });
  expect(parseReceipt(value).members).toEqual({ ...receipt, spent: '7' });
});

test.each<[object, string]>([
  [{ status: 'failed' }, 'says "success"'],
  [{ method: '' }, 'names its method'],
  [{ method: 7 }, 'names its method'],
  [{ timestamp: 7 }, 'has a timestamp of RFC 3339'],
  [{ timestamp: 'now' }, 'has a timestamp of RFC 3339'],
  [{ reference: 7 }, 'has a reference'],
  [{ reference: '' }, 'has a reference'],
  [{ reference: 'x'.repeat(513) }, 'has a reference'],
  [{ intent: 7 }, 'names intent and challenge by texts'],
  [{ challengeId: 7 }, 'names intent and challenge by texts'],
])('a malformed receipt is rejected with the reason: %j', (changes, reason) => {
  expect(receiptError(changes)).toBe(`receipt_invalid: a Payment-Receipt ${reason}`);
});

test('a receipt that is no object or longer than 16,384 characters is rejected with the reason', () => {
  expect(errorOf(() => parseReceipt('!'))).toBe('receipt_invalid: a Payment-Receipt is a JSON object in base64url');
  expect(errorOf(() => parseReceipt('A'.repeat(16_385)))).toBe('receipt_invalid: a Payment-Receipt has at most 16384 characters');
  expect(errorOf(() => parseReceipt(encoded(receipt).padEnd(16_384, ' ')))).toBe('none');
  expect(receiptError({ reference: 'x'.repeat(512) })).toBe('none');
});

const voucher = { channelId: anAddress(7), cumulativeAmount: 258n, expiresAt: 1n };
const signature = new Uint8Array(64).fill(9);
const signed = signedVoucher({ ...voucher, signer: anAddress(8), signature });

test('a signed voucher has its expiry only where it expires', () => {
  expect(signed).toEqual({
    voucher: { channelId: anAddress(7), cumulativeAmount: '258', expiresAt: 1 },
    signer: anAddress(8),
    signature: bs58.encode(signature),
    signatureType: 'ed25519',
  });
  expect(signedVoucher({ ...voucher, expiresAt: 0n, signer: anAddress(8), signature }).voucher).toEqual({
    channelId: anAddress(7),
    cumulativeAmount: '258',
  });
});

test('a signed voucher without an expiry is read as one that does not expire', () => {
  const { expiresAt: _expiresAt, ...without } = signed.voucher;
  expect(parseSignedVoucher({ ...signed, voucher: without })).toEqual({ ...voucher, expiresAt: 0n, signer: anAddress(8), signature });
});

test.each<[unknown, string]>([
  ['voucher', 'is an object'],
  [{ data: {} }, 'has the shape of 48 bytes that drafts before 2026-08 had; 50 bytes are signed today'],
  [{ ...signed, voucher: 7 }, 'has a member voucher'],
  [{ ...signed, voucher: { ...signed.voucher, channelId: 'x' } }, 'names its channelId by an address'],
  [{ ...signed, voucher: { ...signed.voucher, cumulativeAmount: 1 } }, 'has a cumulativeAmount in base units'],
  [{ ...signed, voucher: { ...signed.voucher, expiresAt: -1 } }, 'expires at a time in unix seconds'],
  [{ ...signed, voucher: { ...signed.voucher, expiresAt: 1.5 } }, 'expires at a time in unix seconds'],
  [{ ...signed, voucher: { ...signed.voucher, expiresAt: '1' } }, 'expires at a time in unix seconds'],
  [{ ...signed, signer: 'x' }, 'names its signer by an address'],
  [{ ...signed, signature: 7 }, 'has a signature of 64 bytes in base58'],
  [{ ...signed, signature: anAddress(1) }, 'has a signature of 64 bytes in base58'],
  [{ ...signed, signature: '0' }, 'has a signature of 64 bytes in base58'],
  [{ ...signed, signatureType: 'x' }, 'is signed by ed25519'],
])('a malformed voucher is rejected with the reason (case %#)', (value, reason) => {
  expect(errorOf(() => parseSignedVoucher(value))).toBe(`voucher_invalid: a voucher ${reason}`);
});

test('voucherBytes rejects a channel that is no address and numbers beyond 64 bits', () => {
  expect(errorOf(() => voucherBytes({ ...voucher, channelId: 'x' }))).toBe('voucher_invalid: a voucher’s channelId is an address');
  for (const change of [{ cumulativeAmount: 2n ** 64n }, { expiresAt: 2n ** 63n }])
    expect(errorOf(() => voucherBytes({ ...voucher, ...change }))).toBe('voucher_invalid: a voucher’s amount and expiry fit 64 bits');
});
