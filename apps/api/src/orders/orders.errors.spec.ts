import type { DomainError } from '../http/domain.errors';
import { anOpening, anOrder } from './order.builder';
import type { Order, StoredViolation } from './order.entity';
import { IdempotencyConflict, InvalidRecipient, Rejected, requireNoDecline } from './orders.errors';

const violation: StoredViolation = { rule: 'max_daily_spend', message: 'Too much.', limit_usdc: '5.000000', attempted_usdc: '6.000000' };

/** The error that is thrown for an order. */
function declineOf(order: Order, headers: Record<string, string> = {}): DomainError {
  try {
    requireNoDecline(order, headers);
  } catch (error) {
    return error as DomainError;
  }
  throw new Error('nothing is thrown');
}

test.each(['created', 'pending_approval', 'submitted', 'settled'] as const)('an order that is %s was not declined', (status) => {
  expect(() => requireNoDecline(anOrder({ status }), {})).not.toThrow();
});

test('a rejected order is a 402 with its reason, its transfer_id and the numbers of the violation', () => {
  const order = anOrder({ status: 'rejected', rejectionReason: 'max_daily_spend', violation });
  const { message: _message, ...policy } = violation;
  expect(declineOf(order, { 'Idempotent-Replayed': 'true' })).toMatchObject({
    code: 'policy_violation',
    status: 402,
    message: 'Too much.',
    details: { transfer_id: order.id, status: 'rejected', rejection_reason: 'max_daily_spend', policy },
    headers: { 'Idempotent-Replayed': 'true' },
  });
});

test.each([
  ['paused', 'account_paused'],
  ['insufficient_balance', 'insufficient_balance'],
  ['max_single_transfer', 'policy_violation'],
  ['denied', 'policy_violation'],
])('the rejection reason %s has the error code %s', (rejectionReason, code) => {
  expect(declineOf(anOrder({ status: 'rejected', rejectionReason })).code).toBe(code);
});

test.each([
  ['denied', 'An operator denied it.'],
  ['approval_expired', 'It was not approved in time.'],
  ['another_reason', 'It was declined.'],
])('an order rejected as %s, without a violation, has a sentence and no policy', (rejectionReason, message) => {
  const decline = declineOf(anOrder({ status: 'rejected', rejectionReason }));
  expect(decline.message).toBe(message);
  expect(decline.details).not.toHaveProperty('policy');
});

test('a rejection takes its message from the caller before its violation', () => {
  expect(new Rejected({}, { reason: 'max_amount', message: 'Above the bound.', violation }).message).toBe('Above the bound.');
});

test('a rejection says in Retry-After when the amount fits', () => {
  const fits = { ...violation, available_at: '2026-03-01T00:15:00.000Z' };
  expect(declineOf(anOrder({ status: 'rejected', violation: fits })).headers).toEqual({ 'Retry-After': 'Sun, 01 Mar 2026 00:15:00 GMT' });
  expect(declineOf(anOrder({ status: 'rejected', violation })).headers).toEqual({});
});

test('a declined session opening is named by its session_id', () => {
  const order = anOpening({ status: 'rejected', rejectionReason: 'paused' });
  expect(declineOf(order).details).toMatchObject({ session_id: order.sessionId });
  expect(declineOf(order).details).not.toHaveProperty('transfer_id');
});

test.each([
  ['chain_unavailable', 'chain_unavailable', 503, 'because'],
  ['invalid_recipient', 'invalid_recipient', 422, 'The recipient cannot receive USDC: because.'],
  ['conflict', 'conflict', 409, 'because'],
] as const)('an order that failed by %s is a %s with status %i', (code, errorCode, status, message) => {
  const order = anOrder({ status: 'failed', failure: { code, message: 'because' } });
  expect(declineOf(order)).toMatchObject({ code: errorCode, status, message, details: { transfer_id: order.id, status: 'failed' } });
});

test('a key used with other parameters is a 409 that names the transfer or session that holds it to those who may see it', () => {
  const [transfer, opening] = [anOrder(), anOpening()];
  const operator = { accountIds: null };
  expect(new IdempotencyConflict(transfer, operator)).toMatchObject({
    code: 'idempotency_conflict',
    status: 409,
    details: { transfer_id: transfer.id },
  });
  expect(new IdempotencyConflict(opening, operator).details).toEqual({ session_id: opening.sessionId });
  expect(new IdempotencyConflict(opening, { accountIds: [opening.accountId] }).details).toEqual({ session_id: opening.sessionId });
  expect(new IdempotencyConflict(opening, { accountIds: ['acct_other'] }).details).toEqual({});
});

test('an invalid recipient is a 422 that says why', () => {
  expect(new InvalidRecipient('it is frozen', { transfer_id: 'tr_1' })).toMatchObject({
    code: 'invalid_recipient',
    status: 422,
    message: 'The recipient cannot receive USDC: it is frozen.',
    details: { transfer_id: 'tr_1' },
  });
});
