import { aPayment } from './payment.builder';
import { CredentialLost, Declined, paymentFailureError, PaymentKeyConflict } from './payments.errors';

const payment = aPayment();

test.each([
  ['chain_unavailable', { code: 'chain_unavailable', status: 503, message: 'Why.', headers: { 'Retry-After': '2' } }],
  ['account_busy', { code: 'conflict', status: 409, headers: { 'Retry-After': '2' } }],
  ['provider_unreachable', { code: 'provider_unreachable', status: 502, message: 'Why.' }],
] as const)('a payment that failed by %s is an error with its payment_id', (code, expected) => {
  const error = paymentFailureError(payment, { code, message: 'Why.' });
  expect(error).toMatchObject({ ...expected, details: { payment_id: payment.id, status: 'failed' } });
});

test('a decline carries its rule, its sentence and its numbers', () => {
  const declined = Declined.because('max_amount', 'Too dear.', { limit_usdc: '1.000000' });
  expect([declined.message, declined.violation]).toEqual([
    'Too dear.',
    { rule: 'max_amount', message: 'Too dear.', limit_usdc: '1.000000' },
  ]);
});

test('a key used with other parameters is a 409 that names the payment to those who may see it', () => {
  const details = { payment_id: payment.id };
  expect(new PaymentKeyConflict(payment, { accountIds: null })).toMatchObject({ code: 'idempotency_conflict', status: 409, details });
  expect(new PaymentKeyConflict(payment, { accountIds: [payment.accountId] }).details).toEqual(details);
  expect(new PaymentKeyConflict(payment, { accountIds: ['acct_other'] }).details).toEqual({});
});

test('a payment whose credential is lost is a 409 that names the payment and its status', () => {
  expect(new CredentialLost(aPayment({ status: 'paid' }))).toMatchObject({
    code: 'conflict',
    status: 409,
    details: { payment_id: payment.id, status: 'paid' },
  });
});
