import fc from 'fast-check';
import { randomBytes } from 'node:crypto';
import bs58 from 'bs58';
import {
  MppError,
  VOUCHER_BYTES,
  categoryOf,
  decodeBase64url,
  encodeBase64url,
  parseChallenges,
  parseChargeRequest,
  parseCredential,
  parseReceipt,
  parseSessionRequest,
  parseSignedVoucher,
  serialiseChallenge,
  signedVoucher,
  voucherBytes,
  type Challenge,
} from '../src';

const key = (): string => bs58.encode(randomBytes(32));
const [mint, payee, program] = [key(), key(), key()];
const charge = { amount: '1000', currency: mint, recipient: payee, methodDetails: { network: 'localnet', decimals: 6 } };
const session = { amount: '25', currency: mint, recipient: payee, methodDetails: { network: 'localnet', channelProgram: program } };
const object = (value: unknown): string => encodeBase64url(JSON.stringify(value));
const valid = `Payment id="a", realm="r", method="solana", intent="charge", request="${object(charge)}"`;

const challengeOf = (request: object, more: Partial<Challenge> = {}): Challenge =>
  parseChallenges([
    serialiseChallenge({ id: 'a', realm: 'r', method: 'solana', intent: 'charge', ...more, request: request as Record<string, unknown> }),
  ]).challenges[0] as Challenge;

/** The code of the error that is thrown. */
function codeOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof MppError) return error.code;
    throw error;
  }
  return 'none';
}

describe('a challenge', () => {
  test.each([
    ['no id', valid.replace('id="a", ', '')],
    ['an empty id', valid.replace('id="a"', 'id=""')],
    ['an id without end', valid.replace('id="a"', `id="${'a'.repeat(1025)}"`)],
    ['no realm', valid.replace('realm="r", ', '')],
    ['a method in capitals', valid.replace('"solana"', '"Solana"')],
    ['an intent of two words', valid.replace('"charge"', '"charge now"')],
    ['no request', valid.replace(/, request=.*/, '')],
    ['a request that is no base64url', valid.replace(object(charge), 'a+b/')],
    ['a request that is no JSON', valid.replace(object(charge), encodeBase64url('{'))],
    ['a request that is no object', valid.replace(object(charge), object([]))],
    ['a request of broken UTF-8', valid.replace(object(charge), encodeBase64url(Buffer.from([0x22, 0xff, 0x22])))],
    ['a request as deep as the sea', valid.replace(object(charge), encodeBase64url(`${'{"a":'.repeat(50)}1${'}'.repeat(50)}`))],
    ['the same parameter twice', `${valid}, id="b"`],
    ['a string without end', valid.slice(0, -1)],
    ['parameters without commas', valid.replace(', realm', ' realm')],
    ['a day that is none', `${valid}, expires="2026-02-30T00:00:00Z"`],
    ['a month that is none', `${valid}, expires="2026-13-01T00:00:00Z"`],
    ['no time', `${valid}, expires="2026-11-21"`],
    ['opaque numbers', `${valid}, opaque="${object({ order: 42 })}"`],
    ['a header that is not its to take', `${valid}, header="Cookie"`],
  ])('with %s is a defect, and says which', (_what, value) => {
    const { challenges, defects } = parseChallenges([value]);
    expect([challenges, defects.map(({ code }) => code)]).toEqual([[], ['challenge_invalid']]);
  });

  test('that is too large is not read', () => {
    expect(parseChallenges([valid.replace(object(charge), object({ x: 'y'.repeat(16_384) }))]).defects[0]).toMatchObject({
      code: 'challenge_too_large',
    });
    expect(parseChallenges([`Payment ${'x'.repeat(65_536)}`]).defects[0]).toMatchObject({ code: 'challenge_too_large' });
  });

  test('of 8 KB is read', () => {
    expect(parseChallenges([valid.replace(object(charge), object({ ...charge, description: 'y'.repeat(6_000) }))]).challenges).toHaveLength(
      1,
    );
  });

  test('may have unknown parameters, tokens for values, spaces, padding and capitals in names', () => {
    const padded = Buffer.from(JSON.stringify({ ...charge, description: 'x' })).toString('base64url');
    const value = `PAYMENT  ID = "a" ,, Realm=r, method=solana,intent=charge, foo="bar, Payment id=1", request="${padded}${'='.repeat((4 - (padded.length % 4)) % 4)}"`;
    expect(parseChallenges([value])).toMatchObject({ challenges: [{ id: 'a', realm: 'r', method: 'solana' }], defects: [] });
  });

  test('stands beside others, whose own defects do it no harm', () => {
    const { challenges, defects } = parseChallenges([
      `Negotiate abc==, ${valid}, Digest realm="x", ${valid.replace('id="a"', 'id="b"')}`,
      'Payment id=',
      'Bearer',
    ]);
    expect([challenges.map(({ id }) => id), defects.length]).toEqual([['a', 'b'], 1]);
  });

  test('whatever it is, is read or refused, and never more', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.string(), fc.constantFrom('Payment ', 'id=', '"', ',', '\\', valid, '=', 'request=')), { maxLength: 12 }),
        (parts) => {
          for (const challenge of parseChallenges([parts.join('')]).challenges) expect(challenge.id).not.toBe('');
        },
      ),
      { numRuns: 2_000 },
    );
  });
});

describe('a charge', () => {
  test('is read', () => {
    expect(
      parseChargeRequest(
        challengeOf({ ...charge, externalId: 'o-1', methodDetails: { ...charge.methodDetails, feePayer: true, feePayerKey: payee } }),
      ),
    ).toMatchObject({ amount: 1000n, recipient: payee, feePayerKey: payee, externalId: 'o-1', hasSplits: false });
  });

  test.each([
    ['amount', { amount: 1000 }],
    ['amount', { amount: '-1' }],
    ['amount', { amount: '1.5' }],
    ['amount', { amount: '01' }],
    ['amount', { amount: '1e3' }],
    ['amount', { amount: '18446744073709551616' }],
    ['amount', { amount: undefined }],
    ['currency', { currency: 'USDC' }],
    ['recipient', { recipient: 'somebody' }],
    ['recipient', { recipient: bs58.encode(randomBytes(31)) }],
    ['recipient', { recipient: '1'.repeat(200) }],
    ['methodDetails', { methodDetails: 'none' }],
    ['decimals', { methodDetails: { decimals: 6.5 } }],
    ['splits', { methodDetails: { splits: {} } }],
    ['feePayer', { methodDetails: { feePayer: 'yes' } }],
    ['feePayerKey', { methodDetails: { feePayer: true } }],
    ['recentBlockhash', { methodDetails: { recentBlockhash: 'x' } }],
    ['network', { methodDetails: { network: 7 } }],
    ['externalId', { externalId: 'ü'.repeat(300) }],
  ])('with a bad %s is refused: %j', (field, change) => {
    const challenge = challengeOf({ ...charge, ...change });
    expect(codeOf(() => parseChargeRequest(challenge))).toBe('request_invalid');
    expect(() => parseChargeRequest(challenge)).toThrow(field);
  });

  test('says whether others get a part', () => {
    expect(parseChargeRequest(challengeOf({ ...charge, methodDetails: { splits: [{ recipient: payee, amount: '1' }] } })).hasSplits).toBe(
      true,
    );
  });
});

test.each([
  ['amount', { amount: '' }],
  ['channelProgram', { methodDetails: { network: 'localnet' } }],
  ['network', { methodDetails: { channelProgram: program } }],
  ['channelId', { methodDetails: { ...session.methodDetails, channelId: 'x' } }],
  ['minVoucherDelta', { methodDetails: { ...session.methodDetails, minVoucherDelta: '-1' } }],
  ['suggestedDeposit', { suggestedDeposit: 5 }],
])('a session with a bad %s is refused', (field, change) => {
  expect(parseSessionRequest(challengeOf(session))).toMatchObject({ amount: 25n, voucherSigner: 'client' });
  expect(() => parseSessionRequest(challengeOf({ ...session, ...change }))).toThrow(field);
});

describe('a category', () => {
  const claim = (inDetails?: unknown, inRequest?: unknown, inOpaque?: string, asParam?: string) =>
    categoryOf({
      ...challengeOf({ ...charge, category: inRequest, methodDetails: { category: inDetails } }),
      ...(inOpaque !== undefined && { opaqueTexts: { category: inOpaque } }),
      ...(asParam !== undefined && { category: asParam }),
    });

  test('is read wherever it stands, and normalised', () => {
    expect([
      claim('Data'),
      claim(undefined, ' data '),
      claim(undefined, undefined, 'DATA'),
      claim(undefined, undefined, undefined, 'data'),
      claim('data', 'Data', 'DATA', ' data'),
    ]).toEqual(Array(5).fill('data'));
    expect(claim()).toBeNull();
  });

  test('that differs from place to place is a conflict', () => {
    expect(codeOf(() => claim('data', 'search'))).toBe('category_conflict');
    expect(codeOf(() => claim('data', undefined, undefined, 'inference'))).toBe('category_conflict');
  });

  test.each(['', 'no spaces', 'ü', 'x'.repeat(33), '-x', 7, {}])('%j is none', (text) => {
    expect(codeOf(() => claim(text))).toBe('request_invalid');
  });
});

test.each([
  '',
  'Payment',
  'Payment !!!!',
  'Bearer x',
  `Payment ${object({})}`,
  `Payment ${object({ challenge: {}, payload: {} })}`,
  `Payment ${object({ challenge: { id: 'a', realm: 'r', method: 'm', intent: 'i', request: {} }, payload: {} })}`,
  `Payment ${'A'.repeat(40_000)}`,
])('the credential %.60j is refused', (value) => expect(codeOf(() => parseCredential(value))).toBe('credential_invalid'));

const receipt = { status: 'success', method: 'solana', timestamp: '2026-11-21T10:00:00Z', reference: 'x' };
test.each([
  '',
  '!!',
  object({}),
  object([receipt]),
  ...[
    { status: 'failed' },
    { method: '' },
    { timestamp: '2026-02-30T00:00:00Z' },
    { timestamp: '2026-13-45T00:00:00Z' },
    { timestamp: 5 },
    { reference: undefined },
    { reference: '' },
    { challengeId: 5 },
  ].map((change) => object({ ...receipt, ...change })),
])('the receipt %.60j is refused', (value) => expect(codeOf(() => parseReceipt(value))).toBe('receipt_invalid'));

test.each(['a', 'ab=', 'abc=', 'a===', 'ab==c', 'a b', 'ab+c', 'ab/c', 'AB', 'ABC_='])(
  '%j is base64url only if an encoder would write it',
  (text) => {
    const bytes = decodeBase64url(text);
    expect(bytes === null || bytes.toString('base64url') === text.replace(/=+$/, '')).toBe(true);
  },
);

/** The neutral element of ed25519, a point of small order. */
const NEUTRAL_POINT = Buffer.from([1, ...Array<number>(31).fill(0)]);

describe('a voucher', () => {
  const voucher = { channelId: bs58.encode(Buffer.alloc(32, 7)), cumulativeAmount: 258n, expiresAt: 1n };

  test('is fifty bytes, little-endian', () => {
    const bytes = Buffer.from(voucherBytes(voucher));
    expect([bytes.length, bytes.toString('hex')]).toEqual([VOUCHER_BYTES, `5601${'07'.repeat(32)}02010000000000000100000000000000`]);
  });

  test('is read back as it was written', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
        fc.integer({ min: 0, max: 4_000_000_000 }),
        (cumulativeAmount, expiresAt) => {
          const signed = {
            channelId: key(),
            cumulativeAmount,
            expiresAt: BigInt(expiresAt),
            signer: key(),
            signature: new Uint8Array(randomBytes(64)),
          };
          expect(parseSignedVoucher(JSON.parse(JSON.stringify(signedVoucher(signed))))).toEqual(signed);
        },
      ),
    );
  });

  const written = signedVoucher({ ...voucher, signer: payee, signature: randomBytes(64) });
  test.each([
    ['older', { data: {}, signature: '' }],
    ['no object', 'voucher'],
    ['without a voucher', { ...written, voucher: undefined }],
    ['of no channel', { ...written, voucher: { ...written.voucher, channelId: 'x' } }],
    ['of a negative amount', { ...written, voucher: { ...written.voucher, cumulativeAmount: '-1' } }],
    ['that expires before time began', { ...written, voucher: { ...written.voucher, expiresAt: -1 } }],
    ['without a signer', { ...written, signer: undefined }],
    ['with half a signature', { ...written, signature: bs58.encode(randomBytes(32)) }],
    ['signed otherwise', { ...written, signatureType: 'secp256k1' }],
    ['signed by a key of small order', { ...written, signer: bs58.encode(NEUTRAL_POINT) }],
    ['signed with an R of small order', { ...written, signature: bs58.encode(Buffer.concat([NEUTRAL_POINT, randomBytes(32)])) }],
  ])('that is %s is refused', (_what, value) => expect(codeOf(() => parseSignedVoucher(value))).toBe('voucher_invalid'));

  test('of a channel that is none, or an amount that does not fit, is not made', () => {
    expect(codeOf(() => voucherBytes({ ...voucher, channelId: 'x' }))).toBe('voucher_invalid');
    expect(codeOf(() => voucherBytes({ ...voucher, cumulativeAmount: 2n ** 64n }))).toBe('voucher_invalid');
    expect(codeOf(() => voucherBytes({ ...voucher, cumulativeAmount: -1n }))).toBe('voucher_invalid');
  });
});
