import { nearestLimit } from './nearest-limit';

const limited = (daily: string | null, monthly: string | null, lifetime: string | null = null) => {
  const period = (remaining_usdc: string | null) => ({ limit_usdc: null, spent_usdc: null, remaining_usdc });
  return { remaining_usdc: daily, monthly: period(monthly), lifetime: period(lifetime) };
};

test.each([
  ['no limit is set', limited(null, null), undefined, null],
  ['only the account has one', limited(null, '3.000000'), limited(null, null), ['account', 'max_monthly_spend', '3.000000']],
  [
    'the fleet leaves less',
    limited('10.000000', null),
    limited(null, null, '9.999999'),
    ['fleet_limits', 'max_lifetime_spend', '9.999999'],
  ],
  ['both leave as much', limited('2.000000', '2.000000'), limited('2.000000', null), ['account', 'max_daily_spend', '2.000000']],
])('the nearest limit where %s', (_where, account, fleet, expected) => {
  const nearest = nearestLimit({ ...account, ...(fleet && { fleet }) });
  expect(nearest && [nearest.scope, nearest.rule, nearest.remaining_usdc]).toEqual(expected);
});
