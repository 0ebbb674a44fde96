import { nameOf, parseMonth } from './months';

const at = (text: string): Date => new Date(text);

test.each(['', '2026', '2026-13', '2026-00', '2026-1', '26-01', '0000-01', '2026-01-01', ' 2026-01', '2026-01 ', '２０２６-01'])(
  '%j is not a month',
  (text) => expect(parseMonth(text, at('2030-01-01T00:00:00Z'))).toBeUndefined(),
);

test('a month that has not begun is none', () => {
  expect(parseMonth('2026-12', at('2026-11-30T23:59:59.999Z'))).toBeNull();
  expect(parseMonth('2026-12', at('2026-12-01T00:00:00.000Z'))).toMatchObject({ isRunning: true });
});

test('the running month ends now', () => {
  const now = at('2026-11-30T23:59:59.999Z');
  expect(parseMonth('2026-11', now)).toEqual({ from: at('2026-11-01T00:00:00Z'), to: now, isRunning: true, isComplete: false });
});

test('a month is complete a quarter of an hour after its end', () => {
  const month = { from: at('2024-02-01T00:00:00Z'), to: at('2024-03-01T00:00:00Z'), isRunning: false };
  expect(parseMonth('2024-02', at('2024-03-01T00:14:59.999Z'))).toEqual({ ...month, isComplete: false });
  expect(parseMonth('2024-02', at('2024-03-01T00:15:00.000Z'))).toEqual({ ...month, isComplete: true });
});

test('months of the first years are read', () =>
  expect(parseMonth('0001-12', at('2026-01-01T00:00:00Z'))?.to).toEqual(at('0002-01-01T00:00:00Z')));

test('a moment is in the month of UTC', () => expect(nameOf(at('2026-11-30T23:59:59.999Z'))).toBe('2026-11'));
