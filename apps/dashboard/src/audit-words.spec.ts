import { changesInWords } from './audit-words';

test.each<[string, Parameters<typeof changesInWords>[0], string[]]>([
  ['a changed limit', { before: { max_daily_spend: 10 }, after: { max_daily_spend: 25.5 } }, ['max daily spend: 10 → 25.5']],
  ['a limit that is unset', { before: { max_daily_spend: 10 }, after: { max_daily_spend: null } }, ['max daily spend: 10 → not set']],
  ['a list', { before: { categories: null }, after: { categories: ['data', 'ads'] } }, ['categories: not set → data, ads']],
  ['a field that stays', { before: { name: 'a', paused: false }, after: { name: 'a', paused: true } }, ['paused: no → yes']],
  ['a new object', { before: null, after: { name: 'bot', metadata: {} } }, ['name: bot']],
  ['a removed object', { before: { url: 'https://a' }, after: null }, ['url: https://a']],
  ['an amount', { before: null, after: { amount_usdc: '1234.500000' } }, ['amount usdc: 1,234.50 USDC']],
])('%s is described', (_title, change, words) => expect(changesInWords(change)).toEqual(words));
