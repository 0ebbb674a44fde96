import { TIMES, asApiQuery } from './filters';

const NOW = new Date(2026, 10, 25, 12, 30, 40);
const local = (...parts: [number, number, number, number, number]): number => new Date(...parts).getTime();

test.each([
  ['a day', '2026-11-24', local(2026, 10, 24, 0, 0) - 1, local(2026, 10, 25, 0, 0) - 1],
  ['a minute', '2026-11-24T09:15', local(2026, 10, 24, 9, 15) - 1, local(2026, 10, 24, 9, 16) - 1],
  ['an hour before now', '1h', local(2026, 10, 25, 11, 30), local(2026, 10, 25, 11, 30)],
  ['seven days before now', '7d', local(2026, 10, 25, 12, 30) - 7 * 86_400_000, local(2026, 10, 25, 12, 30) - 7 * 86_400_000],
])('a list from and to %s begins and ends with it', (_what, value, since, until) => {
  const { since: first, until: last } = asApiQuery(TIMES, { since: value, until: value }, NOW);
  expect([first, last].map((text) => Date.parse(text ?? ''))).toEqual([since, until]);
});

test.each(['0202-01-01', '2026-1-1', '7w', 'yesterday'])('the time %j is no filter', (value) => {
  expect(asApiQuery(TIMES, { since: value }, NOW)).toEqual({});
});
