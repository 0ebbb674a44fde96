import { relativeTime } from './relative-time';

const NOW = new Date(2026, 10, 25, 12, 0, 0);
const at = (seconds: number): Date => new Date(NOW.getTime() + seconds * 1000);

test.each([
  [0, 'just now'],
  [-59, 'just now'],
  [-60, '1 min ago'],
  [-12 * 60, '12 min ago'],
  [-3_600, '1 h ago'],
  [-12 * 3_600, '12 h ago'],
  [-12 * 3_600 - 1, undefined],
  [30, 'in a minute'],
  [3 * 3_600, 'in 3 h'],
  [24 * 3_600 - 1, 'in 23 h'],
  [24 * 3_600, undefined],
])('a moment %i seconds from noon is %s, and has a date instead from the day before on', (seconds, words) => {
  expect(relativeTime(at(seconds), NOW)).toBe(words);
});
