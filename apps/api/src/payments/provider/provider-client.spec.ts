import { type Receipt, serialiseReceipt } from '#mpp';
import { aPayment } from '../payment.builder';
import { receiptFor } from './provider-client';

const payment = aPayment({ challengeId: 'charge-1' });
const receipt: Omit<Receipt, 'members'> = {
  status: 'success',
  method: 'solana',
  timestamp: '2026-03-01T00:00:00Z',
  reference: 'Signature',
  challengeId: 'charge-1',
};
const accepted = (changes: Partial<Receipt>, reference: string | null = 'Signature'): boolean =>
  receiptFor(payment, serialiseReceipt({ ...receipt, ...changes }), reference) !== null;

test('a receipt of method, challenge and reference of the payment is its receipt', () => {
  expect(receiptFor(payment, serialiseReceipt(receipt), 'Signature')).toMatchObject(receipt);
});

test('a receipt that names no challenge is accepted by its reference', () => {
  expect(accepted({ challengeId: undefined })).toBe(true);
});

test('a receipt is accepted with any reference while the transaction is not known', () => {
  expect(accepted({ reference: 'Other' }, null)).toBe(true);
});

test.each<[string, Partial<Receipt>]>([
  ['another method', { method: 'tempo' }],
  ['another challenge', { challengeId: 'charge-2' }],
  ['another reference', { reference: 'Other' }],
])('a receipt of %s is not accepted', (_what, changes) => {
  expect(accepted(changes)).toBe(false);
});

test.each([null, '', 'no receipt'])('%j is no receipt', (value) => {
  expect(receiptFor(payment, value, null)).toBeNull();
});
