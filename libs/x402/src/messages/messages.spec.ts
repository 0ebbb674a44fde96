import { aPaymentRequired, aPaymentRequiredV1, aSignature, anAddress, anOffer, base64, feePayer, target } from '../../test/samples';
import {
  PAYMENT_REQUIRED_HEADER,
  PAYMENT_RESPONSE_HEADER,
  PAYMENT_SIGNATURE_HEADER,
  X_PAYMENT_HEADER,
  X_PAYMENT_RESPONSE_HEADER,
  X402Error,
  buildPayment,
  networkNames,
  parsePaymentRequired,
  parsePaymentRequiredBody,
  parsePaymentRequiredHeader,
  parsePaymentResponse,
  parsePaymentResponseHeader,
  payableRequirements,
  refusalReason,
  type JsonObject,
} from '..';

/** Code and message of the X402Error that is thrown. Other errors pass. */
function errorOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof X402Error) return `${error.code}: ${error.message}`;
    throw error;
  }
  return 'none';
}

test('the headers have the names of the protocol', () => {
  expect([PAYMENT_REQUIRED_HEADER, PAYMENT_RESPONSE_HEADER, PAYMENT_SIGNATURE_HEADER, X_PAYMENT_HEADER, X_PAYMENT_RESPONSE_HEADER]).toEqual(
    ['payment-required', 'payment-response', 'payment-signature', 'x-payment', 'x-payment-response'],
  );
});

test.each<[JsonObject, string]>([
  [{ x402Version: 3 }, 'unsupported_method: versions 1 and 2 of x402 are read, and this is 3'],
  [{ x402Version: '2' }, 'payment_required_invalid: x402Version is a number'],
  [{ accepts: [] }, 'payment_required_invalid: accepts is a list of 1 to 100 offers'],
  [{ accepts: Array(101).fill(anOffer()) }, 'payment_required_invalid: accepts is a list of 1 to 100 offers'],
  [{ accepts: Array(100).fill(anOffer()) }, 'none'],
  [{ resource: 7 }, 'payment_required_invalid: resource is an object'],
  [{ extensions: [] }, 'payment_required_invalid: extensions is an object'],
  [{ accepts: [7] }, 'payment_required_invalid: each of accepts is an object'],
  [{ accepts: [anOffer({ scheme: '' })] }, 'payment_required_invalid: each of accepts has a scheme'],
  [{ accepts: [anOffer({ scheme: 'x'.repeat(65) })] }, 'payment_required_invalid: each of accepts has a scheme'],
  [{ accepts: [anOffer({ scheme: 'x'.repeat(64), network: 'x'.repeat(64) })] }, 'none'],
  [{ accepts: [anOffer({ network: 7 })] }, 'payment_required_invalid: each of accepts has a network'],
])('a PaymentRequired object is read or rejected with the reason (case %#)', (change, error) => {
  expect(errorOf(() => parsePaymentRequired(aPaymentRequired(change)))).toBe(error);
});

test('a value that is no JSON object is rejected with the reason', () => {
  for (const value of [undefined, [], 'a'])
    expect(errorOf(() => parsePaymentRequired(value))).toBe('payment_required_invalid: PaymentRequired is a JSON object');
});

test('a PAYMENT-REQUIRED header is rejected with the reason', () => {
  expect(errorOf(() => parsePaymentRequiredHeader('!'))).toBe(
    'payment_required_invalid: the PAYMENT-REQUIRED header is no JSON object in base64',
  );
  expect(errorOf(() => parsePaymentRequiredHeader(base64(aPaymentRequiredV1())))).toBe(
    'payment_required_invalid: the PAYMENT-REQUIRED header is of version 2, and it says 1',
  );
});

test('messages of more than 65,536 characters are rejected with their size', () => {
  const large = JSON.stringify(aPaymentRequiredV1({ error: 'x'.repeat(65_536) }));
  const size = `has ${large.length} characters, and 65536 are read`;
  expect(errorOf(() => parsePaymentRequiredHeader('A'.repeat(65_537)))).toBe(
    'payment_required_too_large: the PAYMENT-REQUIRED header has 65537 characters, and 65536 are read',
  );
  expect(errorOf(() => parsePaymentRequiredBody(large))).toBe(`payment_required_too_large: the body of the 402 response ${size}`);
  expect(errorOf(() => parsePaymentRequired(JSON.parse(large)))).toBe(`payment_required_too_large: PaymentRequired ${size}`);
});

test('a message of exactly 65,536 characters is read', () => {
  const body = (characters: number): string => JSON.stringify(aPaymentRequiredV1({ error: 'x'.repeat(characters) }));
  expect(parsePaymentRequiredBody(body(65_536 - body(0).length))).toMatchObject({ version: 1 });
});

test('a large JSON body without a version of x402 in its first 65,536 characters is not x402’s', () => {
  const filler = 'x'.repeat(65_536);
  expect(parsePaymentRequiredBody(JSON.stringify({ filler }))).toBeNull();
  expect(parsePaymentRequiredBody(JSON.stringify({ filler, x402Version: 1 }))).toBeNull();
});

test('a body of version 2 is rejected with the place where version 2 asks', () => {
  expect(errorOf(() => parsePaymentRequiredBody(JSON.stringify(aPaymentRequired())))).toBe(
    'unsupported_method: version 2 of x402 asks in the PAYMENT-REQUIRED header, and the response has none',
  );
});

const settled = { success: true, transaction: aSignature(), network: target.caip2 };

test.each<[JsonObject, string]>([
  [{ success: 1 }, 'success is true or false'],
  [{ transaction: 'x' }, 'transaction is a signature'],
  [{ transaction: '' }, 'a settled payment names its transaction'],
  [{ amount: 1 }, 'amount is a whole number of base units as a text'],
  [{ network: 7 }, 'network is a text of at most 128 characters'],
  [{ payer: 'x'.repeat(129) }, 'payer is a text of at most 128 characters'],
  [{ x: 'x'.repeat(16_384) }, 'it has at most 16384 characters'],
])('a PAYMENT-RESPONSE is rejected with the reason (case %#)', (change, reason) => {
  expect(errorOf(() => parsePaymentResponse({ ...settled, ...change }))).toBe(`payment_response_invalid: a PAYMENT-RESPONSE: ${reason}`);
});

test('a PAYMENT-RESPONSE header is rejected with the reason', () => {
  const reason = (value: string): string => errorOf(() => parsePaymentResponseHeader(value));
  expect(reason('!')).toBe('payment_response_invalid: a PAYMENT-RESPONSE: it is a JSON object in base64');
  expect(reason('A'.repeat(16_385))).toBe('payment_response_invalid: a PAYMENT-RESPONSE: it has at most 16384 characters');
  expect(errorOf(() => parsePaymentResponse('text'))).toBe('payment_response_invalid: a PAYMENT-RESPONSE: it is a JSON object');
});

test('a PAYMENT-RESPONSE header of exactly 16,384 characters is read, and one with spaces around it', () => {
  const value = (characters: number): string => base64({ ...settled, x: 'x'.repeat(characters) });
  const longest = value(Math.floor((16_384 - value(0).length) / 4) * 3);
  expect(parsePaymentResponseHeader(longest.padEnd(16_384, ' '))).toMatchObject({ success: true });
  expect(parsePaymentResponseHeader(` ${value(0)} `)).toMatchObject({ success: true });
});

test('a PAYMENT-RESPONSE object of exactly 16,384 characters is read', () => {
  const object = (characters: number) => ({ ...settled, x: 'x'.repeat(characters) });
  expect(parsePaymentResponse(object(16_384 - JSON.stringify(object(0)).length))).toMatchObject({ success: true });
});

test('a reason is read from a body of exactly 65,536 characters and from no longer one', () => {
  const body = (characters: number): string => JSON.stringify({ error: 'gone', x: 'x'.repeat(characters) });
  const most = 65_536 - body(0).length;
  const reasonIn = (text: string) => refusalReason({ paymentResponse: null, paymentRequired: null, body: text });
  expect([reasonIn(body(most)), reasonIn(body(most + 1))]).toEqual(['gone', undefined]);
});

const payable = (offers: JsonObject[]) => payableRequirements(parsePaymentRequired(aPaymentRequired({ accepts: offers })), target);
const other = anAddress();

test.each<[JsonObject, string]>([
  [{ scheme: 'upto' }, 'unsupported_method: no offer has the scheme "exact"'],
  [{ extra: { feePayer, paymentFlow: 'escrow' } }, 'unsupported_method: the seller wants the payment in a way that is not supported'],
  [{ asset: other }, `mint_mismatch: no offer on ${target.caip2} takes ${target.mint}`],
  [{ network: 'eip155:1' }, `network_mismatch: no offer is on ${target.caip2}`],
  [{ amount: 1 }, `requirements_invalid: an offer on ${target.caip2}: amount is a whole number of base units as a text`],
  [{ payTo: 'x' }, `requirements_invalid: an offer on ${target.caip2}: payTo is an address`],
  [{ maxTimeoutSeconds: 0 }, `requirements_invalid: an offer on ${target.caip2}: maxTimeoutSeconds is a whole number of 1 to 31536000`],
  [{ extra: 7 }, `requirements_invalid: an offer on ${target.caip2}: extra is an object`],
  [{ extra: {} }, `requirements_invalid: an offer on ${target.caip2}: extra.feePayer is an address`],
  [{ extra: { feePayer, memo: 7 } }, `requirements_invalid: an offer on ${target.caip2}: extra.memo is a text of at most 256 bytes`],
])('offers that cannot be paid are rejected with the reason (case %#)', (change, error) => {
  expect(errorOf(() => payable([anOffer(change)]))).toBe(error);
});

test('offers of version 1 on another network are rejected with the name of the network in version 1', () => {
  const required = parsePaymentRequired(aPaymentRequiredV1({ accepts: [{ ...anOffer(), network: 'base' }] }));
  expect(errorOf(() => payableRequirements(required, target))).toBe('network_mismatch: no offer is on solana-devnet');
  const { v1Name: _v1Name, ...unnamed } = target;
  expect(errorOf(() => payableRequirements(required, unnamed))).toBe(`network_mismatch: no offer is on ${target.caip2}`);
});

test('a payment id that is too short is rejected with the form that it must have', () => {
  const required = parsePaymentRequired(aPaymentRequired({ extensions: { 'payment-identifier': { info: {} } } }));
  const [requirements] = payableRequirements(required, target);
  expect(errorOf(() => buildPayment({ required, requirements, content: { transaction: 'AAAA' }, paymentId: 'short' }))).toBe(
    'payment_invalid: a payment id has 16 to 128 characters of A-Z, a-z, 0-9, "_" and "-"',
  );
});

test('a cluster without a name in version 1 has only its name in version 2', () => {
  expect(networkNames(feePayer)).toStrictEqual({ caip2: `solana:${feePayer.slice(0, 32)}` });
});
