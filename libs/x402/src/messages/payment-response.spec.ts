import fc from 'fast-check';
import { aSignature, anAddress, base64, codeOf, target } from '../../test/samples';
import { X402Error, parsePaymentResponse, parsePaymentResponseHeader } from '..';

const settled = { success: true, transaction: aSignature(), network: target.caip2, payer: anAddress() };

test('a settlement is read with its transaction and its members', () => {
  const members = { ...settled, amount: '1000', extensions: { x: 1 } };
  expect(parsePaymentResponseHeader(base64(members))).toEqual({ ...settled, amount: 1_000n, errorReason: undefined, members });
  expect(parsePaymentResponse(members)).toEqual(parsePaymentResponseHeader(base64(members)));
});

test('a failure is read where it names no transaction, or one that was submitted', () => {
  const failed = { success: false, errorReason: 'settlement_pending', transaction: '', network: '', payer: null };
  expect(parsePaymentResponseHeader(base64(failed))).toMatchObject({
    success: false,
    errorReason: 'settlement_pending',
    transaction: undefined,
    network: undefined,
    payer: undefined,
  });
  expect(parsePaymentResponse({ ...failed, transaction: settled.transaction }).transaction).toBe(settled.transaction);
});

test('a reason is cut to 1,000 characters', () => {
  expect(parsePaymentResponse({ success: false, errorReason: 'x'.repeat(5_000) }).errorReason).toHaveLength(1_000);
});

test.each<[string, object]>([
  ['no success', { success: undefined }],
  ['success as a text', { success: 'true' }],
  ['a settlement without a transaction', { transaction: undefined }],
  ['a settlement with an empty transaction', { transaction: '' }],
  ['a transaction of another chain', { transaction: `0x${'ab'.repeat(32)}` }],
  ['a transaction of 63 bytes', { transaction: '1'.repeat(63) }],
  ['a transaction that is a number', { transaction: 7 }],
  ['a network that is an object', { network: {} }],
  ['an endless payer', { payer: 'x'.repeat(129) }],
  ['an amount that is a number', { amount: 1000 }],
  ['an amount with decimals', { amount: '0.5' }],
])('%s is refused as payment_response_invalid', (_what, change) => {
  expect(codeOf(() => parsePaymentResponse({ ...settled, ...change }))).toBe('payment_response_invalid');
});

test.each(['', '!', base64('{'), base64([]), base64(null), 'A'.repeat(16_388), base64({ ...settled, x: 'x'.repeat(13_000) })])(
  'the header %.40j is refused as payment_response_invalid',
  (value) => expect(codeOf(() => parsePaymentResponseHeader(value))).toBe('payment_response_invalid'),
);

test('a response of any content is read or an X402Error', () => {
  const member = fc.oneof(fc.anything({ withBigInt: true }), fc.constantFrom(true, false, settled.transaction));
  fc.assert(
    fc.property(
      fc.record({ success: member, transaction: member, network: member, payer: member, amount: member, errorReason: member }),
      (value) => {
        try {
          parsePaymentResponse(value);
        } catch (error) {
          expect(error).toBeInstanceOf(X402Error);
        }
      },
    ),
    { numRuns: 500 },
  );
});
