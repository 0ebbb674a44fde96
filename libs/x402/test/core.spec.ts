import fc from 'fast-check';
import { decodePaymentSignatureHeader, encodePaymentRequiredHeader, encodePaymentResponseHeader } from '@x402/core/http';
import { parsePaymentPayload, parsePaymentRequired as parseByCore } from '@x402/core/schemas';
import {
  buildPayment,
  parsePaymentRequired,
  parsePaymentRequiredBody,
  parsePaymentRequiredHeader,
  parsePaymentResponseHeader,
  payableRequirements,
  type JsonObject,
} from '../src';
import { aPaymentRequired, aPaymentRequiredV1, aSignature, anOffer, anOfferV1, feePayer, target } from './samples';

/** Texts with what encodings have to deal with. */
const text = fc.string({ unit: fc.constantFrom('a', '0', ' ', '"', '\\', '/', '?', 'ü', '—', '😀', '\n'), minLength: 1, maxLength: 20 });
const amount = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(String);
const members = fc.dictionary(
  fc.constantFrom('tag', 'name', 'nested'),
  fc.oneof(text, fc.integer(), fc.boolean(), fc.dictionary(text, text)),
);
const offer = fc
  .record({ amount, extra: fc.record({ memo: text }).chain((memo) => members.map((more) => ({ ...more, ...memo, feePayer }))) })
  .map(anOffer);
const required = fc
  .record({
    error: fc.option(text),
    resource: fc.record({ url: text, description: fc.option(text) }),
    accepts: fc.array(offer, { minLength: 1, maxLength: 3 }),
    extensions: fc.option(fc.dictionary(text, fc.record({ info: members, schema: members }))),
  })
  .map(aPaymentRequired);

type CorePaymentRequired = Parameters<typeof encodePaymentRequiredHeader>[0];
type CoreSettlement = Parameters<typeof encodePaymentResponseHeader>[0];

test('what @x402/core writes into PAYMENT-REQUIRED is read as it was meant', () => {
  fc.assert(
    fc.property(required, (given) => {
      const read = parsePaymentRequiredHeader(encodePaymentRequiredHeader(given as unknown as CorePaymentRequired));
      expect(read).toEqual(parsePaymentRequired(given));
      const cheapestFirst = (given.accepts as JsonObject[]).toSorted((one, other) =>
        Number(BigInt(`${one.amount}`) - BigInt(`${other.amount}`)),
      );
      const payable = payableRequirements(read, target);
      expect(payable.map(({ object, amount: price }) => [object, `${price}`])).toEqual(cheapestFirst.map((each) => [each, each.amount]));
    }),
  );
});

test('@x402/core decodes our payment of version 2, finds it valid, and sees the very offer', () => {
  fc.assert(
    fc.property(required, (given) => {
      const parsed = parsePaymentRequired(given);
      const [requirements] = payableRequirements(parsed, target);
      const { value, payload } = buildPayment({
        required: parsed,
        requirements,
        content: { transaction: 'AAAA' },
        paymentId: 'pay_0123456789ab',
      });
      const decoded = decodePaymentSignatureHeader(value);
      expect(decoded).toEqual(payload);
      expect(parsePaymentPayload(decoded)).toMatchObject({ success: true });
      expect(given.accepts).toContainEqual(decoded.accepted);
    }),
  );
});

test('@x402/core decodes our payment of version 1 and finds it valid', () => {
  const parsed = parsePaymentRequiredBody(JSON.stringify(aPaymentRequiredV1()));
  if (!parsed) throw new Error('the body is of version 1');
  const [requirements] = payableRequirements(parsed, target);
  const { value } = buildPayment({ required: parsed, requirements, content: { transaction: 'AAAA' }, paymentId: 'pay_0123456789ab' });
  expect(parsePaymentPayload(decodePaymentSignatureHeader(value))).toMatchObject({ success: true, data: { network: 'solana-devnet' } });
});

test('what @x402/core writes into PAYMENT-RESPONSE is read as it was meant', () => {
  fc.assert(
    fc.property(fc.boolean(), text, amount, (success, errorReason, price) => {
      const response = {
        success,
        transaction: success ? aSignature() : '',
        network: target.caip2,
        payer: feePayer,
        amount: price,
        errorReason,
      };
      expect(parsePaymentResponseHeader(encodePaymentResponseHeader(response as CoreSettlement))).toMatchObject({
        success,
        transaction: success ? response.transaction : undefined,
        payer: feePayer,
        amount: BigInt(price),
        errorReason,
        members: response,
      });
    }),
  );
});

test.each<[string, JsonObject]>([
  ['version 2', aPaymentRequired()],
  ['version 1', aPaymentRequiredV1()],
  ['no offers', aPaymentRequired({ accepts: [] })],
  ['an offer without scheme', aPaymentRequired({ accepts: [anOffer({ scheme: undefined })] })],
  ['an offer of version 1 without network', aPaymentRequiredV1({ accepts: [anOfferV1({ network: undefined })] })],
  ['a resource that is a text', aPaymentRequired({ resource: 'x' })],
])('%s is read or refused as @x402/core does', (_what, given) => {
  const isRead = (): boolean => {
    try {
      return parsePaymentRequired(given).accepts.length > 0;
    } catch {
      return false;
    }
  };
  expect(isRead()).toBe(parseByCore(given).success);
});
