import { aPaymentRequired, aPaymentRequiredV1, anAddress, anOffer, codeOf, feePayer, target } from '../../test/samples';
import { buildPayment, offersPaymentIdentifier, parsePaymentRequired, payableRequirements, type JsonObject } from '..';

const transaction = Buffer.alloc(300, 7).toString('base64');
const paymentId = 'pay_0123456789ab';
const schema = { type: 'object', properties: { required: { type: 'boolean' } } };
const identifier = (info: unknown): JsonObject => ({ 'payment-identifier': { info, schema } });

function build(object: JsonObject, id = paymentId) {
  const required = parsePaymentRequired(object);
  return buildPayment({ required, requirements: payableRequirements(required, target)[0], content: { transaction }, paymentId: id });
}
const decoded = (value: string): unknown => JSON.parse(Buffer.from(value, 'base64').toString());

test('a payment of version 2 echoes offer, resource and extensions as they came', () => {
  const offer = anOffer({ unknown: [1.5, null], extra: { feePayer, recentBlockhash: anAddress(), lastValidBlockHeight: '9', tag: 'ü' } });
  const [resource, extensions] = [{ url: '/report?x=ü', tags: ['a'] }, { bazaar: { info: { input: {} }, schema } }];
  const { header, value, payload } = build(aPaymentRequired({ resource, accepts: [anOffer({ network: 'eip155:1' }), offer], extensions }));
  expect(header).toBe('payment-signature');
  expect(payload).toEqual({ x402Version: 2, resource, accepted: offer, payload: { transaction }, extensions });
  expect(decoded(value)).toEqual(payload);
});

test('a payment of version 2 leaves out what the seller left out', () => {
  expect(Object.keys(build(aPaymentRequired({ resource: undefined })).payload)).toEqual(['x402Version', 'accepted', 'payload']);
});

test('a payment of version 1 names scheme and network, and carries no id', () => {
  const { header, value, payload } = build(aPaymentRequiredV1({ extensions: identifier({ required: true }) }));
  expect(header).toBe('x-payment');
  expect(payload).toEqual({ x402Version: 1, scheme: 'exact', network: 'solana-devnet', payload: { transaction } });
  expect(decoded(value)).toEqual(payload);
});

test('a seller with payment-identifier gets the id beside what it said of the extension', () => {
  const extensions = { other: { info: {} }, ...identifier({ required: true, hint: 'x' }) };
  const required = parsePaymentRequired(aPaymentRequired({ extensions }));
  expect(offersPaymentIdentifier(required)).toBe(true);
  expect(build(aPaymentRequired({ extensions })).payload.extensions).toEqual({
    other: { info: {} },
    'payment-identifier': { info: { required: true, hint: 'x', id: paymentId }, schema },
  });
  expect(required.extensions).toEqual(extensions);
});

test.each<[string, JsonObject | undefined]>([
  ['none', undefined],
  ['another', { bazaar: { info: { required: false } } }],
  ['one without info', { 'payment-identifier': {} }],
  ['one that is null', { 'payment-identifier': null }],
  ['one that does not say whether it is required', identifier({})],
  ['one that has an id already', identifier({ required: false, id: 'the-sellers-own-id' })],
])('a seller whose extension is %s gets no id', (_what, extensions) => {
  expect(offersPaymentIdentifier(parsePaymentRequired(aPaymentRequired({ extensions })))).toBe(false);
  expect(build(aPaymentRequired({ extensions })).payload.extensions).toEqual(extensions);
});

test.each(['', 'x'.repeat(15), 'x'.repeat(129), `${'x'.repeat(16)}!`, `${'x'.repeat(16)}\n`])('the payment id %j is refused', (id) => {
  expect(codeOf(() => build(aPaymentRequired(), id))).toBe('payment_invalid');
});
