import { solOf, formatLimit, formatUsdc, isAmount, roundedUsdc, toneOf } from './money';

test.each([
  ['0.000000', '0.00'],
  ['40.150009', '40.15'],
  ['1234.995000', '1,235.00'],
  ['1.004999', '1.00'],
  ['0.010000', '0.01'],
  ['0.009999', '0.0100'],
  ['0.000123', '0.0001'],
  ['0.000100', '0.0001'],
  ['0.000099', '<0.0001'],
  ['0.000001', '<0.0001'],
])('%s is rounded to %s in a table', (amount, shown) => expect(roundedUsdc(amount)).toBe(shown));

test.each([
  ['1234.500000', '1,234.50'],
  ['0.000001', '0.000001'],
])('%s is shown exactly as %s', (amount, shown) => expect(formatUsdc(amount)).toBe(shown));

test('limits have separators, and decimals only where they have some', () => {
  expect(['1200.000000', '2.500000', '1000000'].map(formatLimit)).toEqual(['1,200', '2.50', '1,000,000']);
});

test.each([
  ['1', true],
  ['0.000001', true],
  ['0', false],
  ['0.0000001', false],
  ['1e3', false],
  ['', false],
  ['-1', false],
])('%j is an amount that can be paid: %p', (text, isValid) => expect(isAmount(text)).toBe(isValid));

test('a bar is amber from 80 % and red from 100 %', () => {
  expect([0, 79.9, 80, 99.9, 100].map(toneOf)).toEqual(['', '', 'near', 'near', 'full']);
});

test.each([
  ['30000', undefined, '0.00003'],
  ['0', undefined, '0'],
  ['74340000', 4, '0.0743'],
  ['1000000000', 4, '1.0000'],
])('%s lamports with %s decimals are %s SOL', (lamports, decimals, sol) => expect(solOf(lamports, decimals)).toBe(sol));
