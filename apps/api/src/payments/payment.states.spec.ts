import { PAYMENT_TRANSITIONS, type PaymentStatus, UNRESOLVED_PAYMENTS } from './payment.states';

const STATUSES: PaymentStatus[] = ['created', 'unknown', 'free', 'paid', 'paid_unreceipted', 'rejected', 'failed'];
const TRANSITIONS = Object.entries(PAYMENT_TRANSITIONS).map(([name, { from, to }]) => ({
  name,
  from: from as readonly PaymentStatus[],
  to: to as PaymentStatus,
}));
const next = (status: PaymentStatus): PaymentStatus[] => TRANSITIONS.filter(({ from }) => from.includes(status)).map(({ to }) => to);

test('every payment status is reachable from created', () => {
  const reached = new Set<PaymentStatus>(['created']);
  for (const status of reached) for (const to of next(status)) reached.add(to);
  expect([...reached].toSorted()).toEqual([...STATUSES].toSorted());
});

test('a payment that is free has no transition, and one that is paid with a receipt only a reversal', () => {
  expect([next('free'), next('paid')]).toEqual([[], ['unknown']]);
});

test('a payment whose credential may have been sent never fails and never runs again', () => {
  expect(next('unknown')).toEqual(expect.not.arrayContaining(['failed', 'created', 'free']));
});

test.each(UNRESOLVED_PAYMENTS)('a payment that is %s can be paid and rejected', (status) => {
  expect(next(status)).toEqual(expect.arrayContaining(['paid', 'rejected']));
});
