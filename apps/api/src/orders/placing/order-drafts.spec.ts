import { anOrder } from '../order.builder';
import type { OrderStatus } from '../order.states';
import { isRerunnable } from './order-drafts';

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
