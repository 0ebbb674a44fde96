import { changesInWords } from './audit-words';

test.each<[string, Parameters<typeof changesInWords>[0], string[]]>([
  ['a changed limit', { before: { max_daily_spend: 10 }, after: { max_daily_spend: 25.5 } }, ['24-hour limit: 10, now 25.50']],
  ['a limit that is unset', { before: { max_daily_spend: 10 }, after: { max_daily_spend: null } }, ['24-hour limit: 10, now not set']],
  ['a list', { before: { categories: null }, after: { categories: ['data', 'ads'] } }, ['Categories: not set, now data, ads']],
  ['a field that stays', { before: { name: 'a', paused: false }, after: { name: 'a', paused: true } }, ['Paused: no, now yes']],
  ['a new object', { before: null, after: { name: 'bot', metadata: {} } }, ['Name: bot']],
  ['a removed object', { before: { url: 'https://a' }, after: null }, ['URL: https://a']],
  ['an account', { before: null, after: { account_ids: ['acct_1'], to: 'acct_1' } }, ['Accounts: Research', 'To: Research']],
  [
    'an object of limits',
    { before: null, after: { limits: { max_daily_spend: 10, paused: false } } },
    ['Limits: 24-hour limit 10, Paused no'],
  ],
  ['an amount', { before: null, after: { amount_usdc: '1234.500000' } }, ['Amount: 1,234.50 USDC']],
])('%s is described', (_title, change, words) =>
  expect(changesInWords(change, (id) => (id === 'acct_1' ? 'Research' : id))).toEqual(words),
);
