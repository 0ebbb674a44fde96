import { anOrder } from './order.builder';
import type { OrderStatus } from './order.states';
import { IdempotencyConflict } from './orders.errors';
import { isRerunnable, requireSameRequest } from './orders.service';

test.each<[OrderStatus, string | null, boolean]>([
  ['failed', null, true],
  ['rejected', 'insufficient_balance', true],
  ['rejected', 'max_daily_spend', false],
  ['rejected', 'denied', false],
  ['settled', null, false],
  ['submitted', null, false],
  ['created', null, false],
  ['pending_approval', null, false],
])('an order that is %s by %s may run again: %s', (status, rejectionReason, expected) => {
  expect(isRerunnable(anOrder({ status, rejectionReason }))).toBe(expected);
});

test('a replay with the same parameters passes, and one with others is an idempotency conflict', () => {
  const order = anOrder({ requestHash: Buffer.alloc(32, 1) });
  expect(() => requireSameRequest(order, Buffer.alloc(32, 1))).not.toThrow();
  expect(() => requireSameRequest(order, Buffer.alloc(32, 2))).toThrow(IdempotencyConflict);
});
