import fc from 'fast-check';
import { aPaymentRequired, aPaymentRequiredV1, base64 } from '../test/samples';
import { refusalOf, refusalReason } from '.';

const failed = base64({ success: false, errorReason: 'from response', transaction: '' });
const required = base64(aPaymentRequired({ error: 'from required' }));

test.each([
  ['PAYMENT-RESPONSE', failed, required, '{}', 'from response'],
  ['PAYMENT-REQUIRED', null, required, '{}', 'from required'],
  ['PAYMENT-REQUIRED beside a response without a reason', base64({ success: false }), required, '{}', 'from required'],
  ['PAYMENT-REQUIRED beside a malformed response', '!', required, '{}', 'from required'],
  ['a body of version 1', null, null, JSON.stringify(aPaymentRequiredV1({ error: 'from body' })), 'from body'],
  ['a body of @solana/pay-kit', null, base64(aPaymentRequired({ error: undefined })), '{"accepts":[],"code":"from code"}', 'from code'],
  ['a page', null, null, '<html></html>', undefined],
  ['a body whose error is an object', null, null, '{"error":{}}', undefined],
  ['malformed headers', '!', '!', '', undefined],
])('a refusal is explained by %s', (_where, paymentResponse, paymentRequired, body, reason) => {
  expect(refusalReason({ paymentResponse, paymentRequired, body })).toBe(reason);
});

test('a reason of any length and content is read without an error', () => {
  const text = fc.oneof(fc.string(), fc.json(), fc.json().map(base64));
  fc.assert(
    fc.property(fc.option(text), fc.option(text), text, (paymentResponse, paymentRequired, body) => {
      expect((refusalReason({ paymentResponse, paymentRequired, body }) ?? '').length).toBeLessThanOrEqual(1_000);
    }),
  );
  expect(refusalReason({ paymentResponse: null, paymentRequired: null, body: JSON.stringify({ error: 'x'.repeat(5_000) }) })).toHaveLength(
    1_000,
  );
});

test.each([
  ['invalid_exact_svm_transaction_simulation_failed', 'simulation_failed'],
  ['transaction_simulation_failed', 'simulation_failed'],
  ['transaction_simulation_failed: Blockhash not found', 'simulation_failed'],
  ['invalid_exact_svm_smart_wallet_program_not_allowed: Program1111', 'program_not_allowed'],
  ['invalid_exact_svm_smart_wallet_simulation_failed: 6008', 'simulation_failed'],
  ['duplicate_settlement', 'in_flight'],
  ['settlement_pending', 'in_flight'],
  ['invalid_exact_svm_payload_amount_mismatch', 'refused'],
  ['no_simulation_failed_here', 'refused'],
  ['Payment required', 'refused'],
])('%s means %s', (reason, refusal) => expect(refusalOf(reason)).toBe(refusal));
