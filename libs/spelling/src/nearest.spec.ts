import { nearest } from './nearest';

const WORDS = ['max_daily_spend', 'max_single_transfer', 'paused', 'id'];

test.each([
  ['max_dayly_spend', 'max_daily_spend'],
  ['max_daily', 'max_daily_spend'],
  ['max_dai', undefined],
  ['paused_at', 'paused'],
  ['pause', 'paused'],
  ['ids', 'id'],
  ['xy', undefined],
  ['', undefined],
  ['p'.repeat(129), undefined],
])('the word nearest to %j is %j', (typed, found) => expect(nearest(typed, WORDS)).toBe(found));

test('no word is near where there is none', () => expect(nearest('paused', [])).toBeUndefined());
