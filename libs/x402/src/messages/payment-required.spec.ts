import fc from 'fast-check';
import { aPaymentRequired, aPaymentRequiredV1, anOffer, base64, codeOf, target } from '../../test/samples';
import { X402Error, parsePaymentRequired, parsePaymentRequiredBody, parsePaymentRequiredHeader } from '..';

/** A valid message whose base64 ends in so many "=". */
function padded(signs: 0 | 1 | 2): string {
  const json = JSON.stringify(aPaymentRequired({ error: '???>>>' }));
  return base64(json + ' '.repeat((6 - signs - (json.length % 3)) % 3));
}
const nested = (levels: number): unknown => JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`);

describe('parsePaymentRequiredHeader', () => {
  test('reads version, error, offers, resource and extensions', () => {
    const extensions = { bazaar: { info: {} } };
    expect(parsePaymentRequiredHeader(base64(aPaymentRequired({ extensions })))).toEqual({
      version: 2,
      error: 'Payment required',
      accepts: [{ scheme: 'exact', network: target.caip2, object: anOffer() }],
      resource: { url: '/report', mimeType: 'application/json' },
      extensions,
    });
  });

  test('takes base64 without padding, and null for what is absent', () => {
    for (const value of [padded(0), padded(1), padded(2), padded(2).replace('==', '')])
      expect(parsePaymentRequiredHeader(` ${value} `)).toMatchObject({ version: 2, error: '???>>>' });
    const value = base64(aPaymentRequired({ error: null, resource: null, extensions: null }));
    expect(parsePaymentRequiredHeader(value)).toMatchObject({ error: undefined, resource: undefined, extensions: undefined });
  });

  test('leaves out an error that is no text and cuts a long one to 1,000 characters', () => {
    const errorOf = (error: unknown) => parsePaymentRequiredHeader(base64(aPaymentRequired({ error }))).error;
    expect([errorOf({ code: 7 }), errorOf('x'.repeat(1_001))?.length, errorOf(`${'x'.repeat(999)}😀`)?.isWellFormed()]).toEqual([
      undefined,
      1_000,
      true,
    ]);
  });

  test.each([
    ['no text', ''],
    ['base64url instead of base64', padded(0).replaceAll('/', '_').replaceAll('+', '-')],
    ['half a character of base64', `${padded(0)}A`],
    ['padding that does not fit', padded(2).replace('==', '=')],
    ['bits behind its end', padded(2).replace(/.==$/, 'B==')],
    ['no UTF-8', Buffer.from([0x22, 0xff, 0x22]).toString('base64')],
    ['no JSON', base64('{')],
    ['a list', base64([])],
    ['null', base64(null)],
    ['objects nested 65 levels deep', base64(aPaymentRequired({ extensions: nested(65) }))],
    ['objects nested 10,000 levels deep', Buffer.from(`${'['.repeat(10_000)}${']'.repeat(10_000)}`).toString('base64')],
    ['no version', base64(aPaymentRequired({ x402Version: undefined }))],
    ['a version that is a text', base64(aPaymentRequired({ x402Version: '2' }))],
    ['version 1', base64(aPaymentRequiredV1())],
    ['no offers', base64(aPaymentRequired({ accepts: undefined }))],
    ['an empty list of offers', base64(aPaymentRequired({ accepts: [] }))],
    ['101 offers', base64(aPaymentRequired({ accepts: Array(101).fill(anOffer()) }))],
    ['offers that are no list', base64(aPaymentRequired({ accepts: anOffer() }))],
    ['an offer that is null', base64(aPaymentRequired({ accepts: [null] }))],
    ['an offer without a scheme', base64(aPaymentRequired({ accepts: [anOffer({ scheme: undefined })] }))],
    ['an offer whose network is a number', base64(aPaymentRequired({ accepts: [anOffer({ network: 103 })] }))],
    ['an offer with an endless network', base64(aPaymentRequired({ accepts: [anOffer({ network: 'x'.repeat(65) })] }))],
    ['a resource that is a text', base64(aPaymentRequired({ resource: '/report' }))],
    ['extensions that are a list', base64(aPaymentRequired({ extensions: [] }))],
  ])('refuses %s as payment_required_invalid', (_what, value) => {
    expect(codeOf(() => parsePaymentRequiredHeader(value))).toBe('payment_required_invalid');
  });

  test('refuses more than 65,536 characters', () => {
    const full = base64(aPaymentRequired({ error: 'x'.repeat(48_000) }));
    expect([codeOf(() => parsePaymentRequiredHeader(full)), full.length <= 65_536]).toEqual(['none', true]);
    expect(codeOf(() => parsePaymentRequiredHeader('A'.repeat(65_537)))).toBe('payment_required_too_large');
  });

  test('refuses a version that is not known yet as unsupported_method', () => {
    expect(codeOf(() => parsePaymentRequiredHeader(base64(aPaymentRequired({ x402Version: 3 }))))).toBe('unsupported_method');
  });

  test('throws nothing but X402Error, whatever the header is', () => {
    const value = fc.oneof(
      fc.string(),
      fc.base64String(),
      fc.json().map(base64),
      fc.jsonValue({ maxDepth: 3 }).map((accepts) => base64(aPaymentRequired({ accepts }))),
    );
    fc.assert(fc.property(value, (text) => ['none', 'payment_required_invalid'].includes(codeOf(() => parsePaymentRequiredHeader(text)))));
  });
});

describe('parsePaymentRequiredBody', () => {
  test('reads a body of version 1, without resource and extensions of its own', () => {
    const body = JSON.stringify(aPaymentRequiredV1({ resource: { url: 'x' }, extensions: { a: {} } }));
    expect(parsePaymentRequiredBody(` ${body}\n`)).toMatchObject({
      version: 1,
      error: 'X-PAYMENT header is required',
      accepts: [{ network: 'solana-devnet' }],
      resource: undefined,
      extensions: undefined,
    });
  });

  test.each([
    ['an empty body', ''],
    ['an empty object', '{}'],
    ['a page that shows the protocol', `<html><script>var x = {"x402Version":1}</script>${' '.repeat(70_000)}</html>`],
    ['a problem of MPP', '{"type":"https://paymentauth.org/problems/payment-required","status":402}'],
    ['an object that mentions the version', '{"detail":"no \\"x402Version\\" here"}'],
    ['JSON that is cut off', '{"x402Version":1,"accepts":['],
  ])('answers null for %s', (_what, body) => {
    expect(parsePaymentRequiredBody(body)).toBeNull();
  });

  test.each([
    ['a malformed offer', { accepts: [{}] }, 'payment_required_invalid'],
    ['version 2, which asks in a header', aPaymentRequired(), 'unsupported_method'],
    ['version 0', { x402Version: 0 }, 'unsupported_method'],
    ['more than 65,536 characters', { error: 'x'.repeat(65_536) }, 'payment_required_too_large'],
  ])('refuses %s', (_what, change, code) => {
    expect(codeOf(() => parsePaymentRequiredBody(JSON.stringify(aPaymentRequiredV1(change))))).toBe(code);
  });
});

describe('parsePaymentRequired', () => {
  test('reads objects of both versions', () => {
    expect([parsePaymentRequired(aPaymentRequired()).version, parsePaymentRequired(aPaymentRequiredV1()).version]).toEqual([2, 1]);
  });

  test.each([
    ['undefined', undefined],
    ['null', null],
    ['a text', base64(aPaymentRequired())],
    ['a function', () => 1],
    [
      'an object that refers to itself',
      Object.assign(aPaymentRequired(), {
        get self() {
          return this;
        },
      }),
    ],
    ['a bigint', { ...aPaymentRequired(), error: 1n }],
    ['an object that hides as another', { toJSON: () => 7 }],
  ])('refuses %s', (_what, value) => {
    expect(codeOf(() => parsePaymentRequired(value))).toBe('payment_required_invalid');
  });

  test('refuses an object whose JSON has more than 65,536 characters', () => {
    expect(codeOf(() => parsePaymentRequired(aPaymentRequired({ extensions: { x: 'x'.repeat(65_536) } })))).toBe(
      'payment_required_too_large',
    );
  });

  test('throws nothing but X402Error, whatever the object is', () => {
    fc.assert(
      fc.property(fc.anything({ withBigInt: true, withNullPrototype: true, withObjectString: true }), (value) => {
        try {
          parsePaymentRequired(value);
        } catch (error) {
          expect(error).toBeInstanceOf(X402Error);
        }
      }),
    );
  });
});

test.each([null, 7, 'rubbish', [], {}, { scheme: 'exact' }, { scheme: 1, network: target.caip2 }])(
  'a malformed member of accepts, %j, is passed over beside a good offer',
  (rubbish) => {
    for (const accepts of [
      [rubbish, anOffer()],
      [anOffer(), rubbish],
    ])
      expect(parsePaymentRequiredHeader(base64(aPaymentRequired({ accepts }))).accepts).toMatchObject([{ scheme: 'exact' }]);
  },
);
