import { serialiseReceipt } from '#mpp';
import { aPayment } from '../payment.builder';
import { paymentView } from './payment.views';

const FINAL_AT = new Date('2026-03-01T00:00:01.000Z');
const receipt = { status: 'success' as const, method: 'solana', timestamp: '2026-03-01T00:00:01Z', reference: 'Signature' };

test('a paid payment shows amount, receipt, answer and time, and nothing that does not apply', () => {
  const payment = aPayment({
    status: 'paid',
    microUsdc: 25n,
    category: 'data',
    sessionId: 'sess_1',
    receipt: serialiseReceipt({ ...receipt, members: { spent: '7' } }),
    finalAt: FINAL_AT,
  });
  const answer = { status: 200, headers: { 'content-type': 'text/plain' }, body: Buffer.from('weather'), truncated: false };
  expect(paymentView(payment, answer)).toEqual({
    payment_id: payment.id,
    account_id: 'acct_payer',
    status: 'paid',
    amount_usdc: '0.000025',
    category: 'data',
    session_id: 'sess_1',
    protocol: null,
    method: null,
    purse_id: null,
    reference: null,
    metadata: {},
    provider: 'https://api.example.com',
    request: { method: 'GET', url: 'https://api.example.com/v1/search' },
    receipt: { ...receipt, spent: '7' },
    response: { status: 200, headers: { 'content-type': 'text/plain' }, body: 'weather', body_base64: 'd2VhdGhlcg==' },
    created_at: '2026-03-01T00:00:00.000Z',
    settled_at: '2026-03-01T00:00:01.000Z',
  });
});

test.each(['created', 'unknown'] as const)('a payment that is %s is shown as unknown, without a time of settlement', (status) => {
  expect(paymentView(aPayment({ status, finalAt: FINAL_AT }), null)).toMatchObject({
    status: 'unknown',
    settled_at: null,
    message: expect.stringContaining('never paid twice'),
  });
});

test('a free payment shows an amount of zero, whatever the row says', () => {
  expect(paymentView(aPayment({ status: 'free', microUsdc: 5n }), null)).toMatchObject({ status: 'free', amount_usdc: '0.000000' });
});

test('a payment whose answer was deleted or never came shows no response', () => {
  expect(paymentView(aPayment({ responseStatus: 200 }), null).response).toBeNull();
});

test('a payment says that its response was cut off', () => {
  const answer = { status: 200, headers: {}, body: Buffer.alloc(0), truncated: true };
  expect(paymentView(aPayment(), answer).response).toEqual({ status: 200, headers: {}, body: null, body_base64: '', truncated: true });
});

test('a rejected payment shows its reason and the sentence of the violation', () => {
  const violation = { rule: 'max_amount', message: 'Too dear.' };
  expect(paymentView(aPayment({ status: 'rejected', rejectionReason: 'max_amount', violation, finalAt: FINAL_AT }), null)).toMatchObject({
    status: 'rejected',
    rejection_reason: 'max_amount',
    message: 'Too dear.',
    settled_at: FINAL_AT.toISOString(),
  });
});

test('a failed payment shows the sentence of the failure', () => {
  const failure = { code: 'provider_unreachable' as const, message: 'No answer.' };
  expect(paymentView(aPayment({ status: 'failed', failure }), null).message).toBe('No answer.');
});

test('a settled charge shows the signature of its transaction', () => {
  expect(paymentView(aPayment({ status: 'paid', signature: 'Signature' }), null).tx_signature).toBe('Signature');
});
