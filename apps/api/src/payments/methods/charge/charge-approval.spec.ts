import type { Order, StoredViolation } from '../../../orders';
import { aCharge } from '../../../orders/order.builder';
import { declineOf, UNAPPROVABLE } from './charge-approval';

const violation: StoredViolation = { rule: 'max_single_transfer', message: 'Too much.' };

test.each<[string, Partial<Order>]>([
  ['waits for approval', { status: 'pending_approval' }],
  ['was denied', { status: 'rejected', rejectionReason: 'denied' }],
  ['was not approved in time', { status: 'rejected', rejectionReason: 'approval_expired' }],
])('a charge that %s is declined by escalation_threshold', (_what, changes) => {
  expect(declineOf(aCharge(changes))?.violation).toEqual({ rule: 'escalation_threshold', message: UNAPPROVABLE });
});

test('a rejected charge is declined by the rule that it violated', () => {
  expect(declineOf(aCharge({ status: 'rejected', rejectionReason: 'max_single_transfer', violation }))?.violation).toBe(violation);
});

test.each<[string, Partial<Order>]>([
  ['settled', { status: 'settled' }],
  ['failed', { status: 'failed', violation }],
  ['rejected without a violation', { status: 'rejected' }],
])('a charge that is %s is not declined by a rule', (_what, changes) => {
  expect(declineOf(aCharge(changes))).toBeUndefined();
});
