import { BalanceOrder } from './balance-order';

interface Movement {
  direction: 'in' | 'out';
  microUsdc: bigint;
}
const plus = (amount: number): Movement => ({ direction: 'in', microUsdc: BigInt(amount) });
const minus = (amount: number): Movement => ({ direction: 'out', microUsdc: BigInt(amount) });
const signed = (entries: Movement[]): number[] =>
  entries.map(({ direction, microUsdc }) => (direction === 'in' ? 1 : -1) * Number(microUsdc));

test('entries that the balance covers to the last unit keep their order', () =>
  expect(signed(new BalanceOrder<Movement>(5n).next([minus(5), plus(1), minus(1)]))).toEqual([-5, 1, -1]));

test('an entry one unit above the balance waits for the deposit that was written later, and those behind it wait too', () => {
  const order = new BalanceOrder<Movement>(5n);
  expect(signed(order.next([minus(6), minus(1)]))).toEqual([]);
  expect(signed(order.next([plus(1), plus(1)]))).toEqual([1, -6, 1, -1]);
  expect(order.rest()).toEqual([]);
});

test('entries that nothing covers come last', () => {
  const order = new BalanceOrder<Movement>(0n);
  expect(signed(order.next([minus(6), plus(5)]))).toEqual([5]);
  expect(signed(order.rest())).toEqual([-6]);
});

test('at most 1,000 entries wait', () => {
  const order = new BalanceOrder<Movement>(0n);
  expect(order.next(Array.from({ length: 1_000 }, () => minus(1)))).toEqual([]);
  expect(signed(order.next([minus(1)]))).toEqual([-1]);
  expect(order.rest()).toHaveLength(1_000);
});
