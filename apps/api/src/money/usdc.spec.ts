import fc from 'fast-check';
import { formatUsdc, isUsdcAmount, isUsdcLimit, limitToMicroUsdc, microUsdcToLimit, parseUsdc } from './usdc';

test.each([
  '',
  '0',
  '0.000000',
  '-1',
  '+1',
  '1.',
  '.5',
  '1.0000001',
  '1e3',
  '1E3',
  ' 1',
  '1 ',
  '1,5',
  '0x10',
  '1234567890123',
  '١',
  '1\n',
  'NaN',
  1,
  null,
  ['1'],
  { toString: () => '1' },
])('%j is not an amount', (value) => expect(isUsdcAmount(value)).toBe(false));

test.each([
  ['0.000001', 1n],
  ['1', 1_000_000n],
  ['01.50', 1_500_000n],
  ['999999999999.999999', 999_999_999_999_999_999n],
])('%s is an amount', (text, microUsdc) => {
  expect(isUsdcAmount(text)).toBe(true);
  expect(parseUsdc(text)).toBe(microUsdc);
});

test.each([-1, -0.000001, 0.0000001, 1.0000001, 1_000_000_000.000001, 1e21, NaN, Infinity, -Infinity, '1', null, [1], 1n])(
  '%p is not a limit',
  (value) => expect(isUsdcLimit(value)).toBe(false),
);

test.each([
  [0, 0n],
  [-0, 0n],
  [0.1, 100_000n],
  [0.000001, 1n],
  [1e9, 10n ** 15n],
  [999_999_999.999999, 999_999_999_999_999n],
])('%p is a limit', (limit, microUsdc) => expect(limitToMicroUsdc(limit)).toBe(microUsdc));

test('formatUsdc writes six decimals', () => {
  expect([0n, 1n, 1_500_000n, -1n, 10n ** 18n].map(formatUsdc)).toEqual([
    '0.000000',
    '0.000001',
    '1.500000',
    '-0.000001',
    '1000000000000.000000',
  ]);
});

test('every amount and every limit is parsed to the value that was formatted', () => {
  fc.assert(fc.property(fc.bigInt({ min: 0n, max: 10n ** 18n - 1n }), (microUsdc) => parseUsdc(formatUsdc(microUsdc)) === microUsdc));
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 15n }), (microUsdc) => limitToMicroUsdc(microUsdcToLimit(microUsdc)) === microUsdc),
  );
});

test('parsing a text that is no amount, or a number that is no limit, throws a RangeError', () => {
  expect(() => parseUsdc('1e3')).toThrow(new RangeError('not a USDC amount'));
  expect(() => limitToMicroUsdc(1.0000001)).toThrow(new RangeError('not a USDC limit'));
});
