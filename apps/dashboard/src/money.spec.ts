import { decimalsOf, formatLimit, formatUsdc, isAmount, toneOf } from './money';

test('amounts of a column have as many decimals as the one with the most, and at least two', () => {
  const amounts = ['12.500000', '0.000123', '1234.000000'];
  const decimals = decimalsOf(amounts);
  expect(amounts.map((amount) => formatUsdc(amount, decimals))).toEqual(['12.500000', '0.000123', '1,234.000000']);
  expect([decimalsOf(['3.000000', '4.250000']), decimalsOf([])]).toEqual([2, 2]);
});

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
