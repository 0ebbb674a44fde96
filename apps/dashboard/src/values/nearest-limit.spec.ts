import { nearestLimit } from './nearest-limit';
import type { FleetSpending } from '../data/types';

type Limit = [limit: string, remaining: string] | null;
const period = (limit: Limit) => ({ limit_usdc: limit?.[0] ?? null, spent_usdc: '0.000000', remaining_usdc: limit?.[1] ?? null });
const spending = (daily: Limit, monthly: Limit, lifetime: Limit) =>
  ({ ...period(daily), monthly: period(monthly), lifetime: period(lifetime) }) as FleetSpending;

test('the limit of which the least is left binds next, compared as amounts and not as text', () => {
  const found = nearestLimit(spending(['20.000000', '10.000000'], ['100.000000', '9.500000'], ['1000.000000', '500.000000']));
  expect(found).toEqual({ name: '30-day limit', limit_usdc: '100.000000', remaining_usdc: '9.500000' });
});

test('of equal ones the shorter period binds next', () => {
  expect(nearestLimit(spending(['5.000000', '3.000000'], ['5.000000', '3.000000'], null))?.name).toBe('24-hour limit');
});

test('a limit that is not set binds nothing', () => {
  expect(nearestLimit(spending(null, null, ['5.000000', '0.000000']))?.name).toBe('lifetime limit');
  expect(nearestLimit(spending(null, null, null))).toBeUndefined();
});
