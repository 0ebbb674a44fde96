import { needsOf, usedPercent, worstFirst } from './account-needs';
import type { ListedAccount } from './types';

const account = (more: Partial<ListedAccount>): ListedAccount => ({
  account_id: 'acct_1',
  name: 'a',
  handle: 'a-1',
  labels: [],
  sent_by_hour: [],
  status: 'active',
  balance_usdc: '1.000000',
  max_single_transfer: 1,
  max_daily_spend: 100,
  escalation_threshold: null,
  has_lists: false,
  sent_usdc: '0.000000',
  sent_count: 0,
  declined_count: 0,
  reserved_usdc: '0.000000',
  last_activity_at: null,
  created_at: '2026-01-01T00:00:00.000Z',
  ...more,
});

test.each<[string, Partial<ListedAccount>, string[]]>([
  ['an account with money and room under its limits', {}, []],
  ['an account without a limit and without lists', { max_single_transfer: null, max_daily_spend: null }, ['no_limit']],
  ['an account whose lists restrict it', { max_single_transfer: null, max_daily_spend: null, has_lists: true }, []],
  ['an account at 79.9 % of its limit', { sent_usdc: '79.999999' }, []],
  ['an account at 80 % of its limit', { sent_usdc: '80.000000' }, ['near_limit']],
  ['an account whose reserved amount fills its limit', { sent_usdc: '60.000000', reserved_usdc: '40.000000' }, ['at_limit']],
  ['an account without money', { balance_usdc: '0.000000' }, ['no_money']],
  ['an account with five declines and four payments', { declined_count: 5, sent_count: 4 }, ['many_declines']],
  ['an account with five declines and five payments', { declined_count: 5, sent_count: 5 }, []],
  ['a paused account without money', { status: 'paused', balance_usdc: '0.000000' }, []],
])('%s needs %j', (_title, more, needs) => expect(needsOf(account(more))).toEqual(needs));

test('the used share counts what is sent and set aside, also above the limit, and a limit of zero is used up', () => {
  expect(usedPercent(account({ sent_usdc: '50.500000' }))).toBe(50.5);
  expect(usedPercent(account({ sent_usdc: '150.000000' }))).toBe(150);
  expect(usedPercent(account({ max_daily_spend: 0 }))).toBe(100);
  expect(usedPercent(account({ max_daily_spend: null }))).toBeNull();
});

test('the accounts of a need come worst first', () => {
  const unlimited = ['3.000000', '20.000000', '7.000000'].map((balance_usdc, index) =>
    account({ account_id: `acct_${index}`, balance_usdc, max_single_transfer: null, max_daily_spend: null }),
  );
  expect(worstFirst('no_limit', [...unlimited, account({})]).map(({ balance_usdc }) => balance_usdc)).toEqual([
    '20.000000',
    '7.000000',
    '3.000000',
  ]);
  const declined = [6, 9, 5].map((declined_count) => account({ declined_count, sent_count: 0 }));
  expect(worstFirst('many_declines', declined).map(({ declined_count }) => declined_count)).toEqual([9, 6, 5]);
});
