import { ORDER_TRANSITIONS, type OrderStatus, UNRESOLVED_STATUSES } from './order.states';

const STATUSES: OrderStatus[] = ['created', 'pending_approval', 'submitted', 'settled', 'rejected', 'failed'];
const TRANSITIONS = Object.entries(ORDER_TRANSITIONS).map(([name, { from, to }]) => ({
  name,
  from: from as readonly OrderStatus[],
  to: to as OrderStatus,
}));
const next = (status: OrderStatus): OrderStatus[] => TRANSITIONS.filter(({ from }) => from.includes(status)).map(({ to }) => to);

test('every order status is reachable from created', () => {
  const reached = new Set<OrderStatus>(['created']);
  for (const status of reached) for (const to of next(status)) reached.add(to);
  expect([...reached].toSorted()).toEqual([...STATUSES].toSorted());
});

test('a settled order is left only where a rollback reversed it, to be sent again', () => {
  expect(next('settled')).toEqual(['submitted']);
});

test.each(['rejected', 'failed'] as const)('a %s order is left only by a rerun or by proof that it landed', (status) => {
  expect(TRANSITIONS.filter(({ from }) => from.includes(status)).map(({ name }) => name)).toEqual(['settleProven', 'rerun']);
});

test.each(UNRESOLVED_STATUSES)('an order that is %s can settle, be rejected and fail', (status) => {
  expect(next(status)).toEqual(expect.arrayContaining(['settled', 'rejected', 'failed']));
});

test('an order waiting for approval is not submitted without a transition through created', () => {
  expect(next('pending_approval')).not.toContain('submitted');
});

test('an order is unresolved when it is created or submitted', () => {
  expect(UNRESOLVED_STATUSES).toEqual(['created', 'submitted']);
});
