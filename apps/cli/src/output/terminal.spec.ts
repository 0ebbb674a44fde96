import { coloured, relativeTime } from './terminal';

const NOW = new Date('2026-11-25T12:00:00.000Z');

test.each([
  [0, 'just now'],
  [-59, 'just now'],
  [59, 'in a moment'],
  [-60, '1 min. ago'],
  [-12 * 60 - 59, '12 min. ago'],
  [3 * 3_600, 'in 3 hr.'],
  [-25 * 3_600, '1 day ago'],
  [-30 * 86_400, '30 days ago'],
  [-30 * 86_400 - 1, '2026-10-26'],
  [60 * 86_400, '2027-01-24'],
])('a time %i seconds from now is %s', (seconds, words) => expect(relativeTime(new Date(NOW.getTime() + seconds * 1000), NOW)).toBe(words));

test('a status has the colour of its kind, and an unknown one none', () => {
  expect([coloured('settled'), coloured('rejected')]).toEqual(['\u001b[32msettled\u001b[39m', '\u001b[31mrejected\u001b[39m']);
  expect(coloured('pondering')).toBe('pondering');
});
