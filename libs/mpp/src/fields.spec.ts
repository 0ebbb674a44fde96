import bs58 from 'bs58';
import { decodeBase58, isAddress, optionalText, parseAmount, parseDate } from './fields';

test.each([
  ['2026-11-21T10:00:00Z', '2026-11-21T10:00:00.000Z'],
  ['2026-11-21t10:00:00z', '2026-11-21T10:00:00.000Z'],
  ['2026-11-21T10:00:00.123456789Z', '2026-11-21T10:00:00.123Z'],
  ['2026-11-21T10:00:00+02:30', '2026-11-21T07:30:00.000Z'],
  ['2026-11-21T10:00:00-00:00', '2026-11-21T10:00:00.000Z'],
  ['2026-11-21T23:59:59+23:59', '2026-11-21T00:00:59.000Z'],
  ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
  ['2026-01-01T00:00:00Z', '2026-01-01T00:00:00.000Z'],
  ['2026-12-31T00:00:00Z', '2026-12-31T00:00:00.000Z'],
])('parseDate reads %s', (text, date) => {
  expect(parseDate(text)?.toISOString()).toBe(date);
});

test.each([
  '2026-02-29T00:00:00Z',
  '2026-04-31T00:00:00Z',
  '2026-00-01T00:00:00Z',
  '2026-13-01T00:00:00Z',
  '2026-01-00T00:00:00Z',
  '2026-01-01T24:00:00Z',
  '2026-01-01T00:60:00Z',
  '2026-01-01T00:00:60Z',
  '2026-01-01T00:00:00+24:00',
  '2026-01-01T00:00:00+00:60',
  '2026-01-01T00:00:00',
  '2026-01-01 00:00:00Z',
  '2026-01-01T00:00:00.Z',
  '2026-01-01T00:00:00.1234567890Z',
  '2026-1-01T00:00:00Z',
  ' 2026-01-01T00:00:00Z',
  '2026-01-01T00:00:00Z ',
  '2026-01-01',
  '',
])('parseDate answers null for %j', (text) => {
  expect(parseDate(text)).toBeNull();
});

test.each<[unknown, bigint | null]>([
  ['0', 0n],
  ['18446744073709551615', 18446744073709551615n],
  ['18446744073709551616', null],
  ['100000000000000000000', null],
  ['01', null],
  ['-1', null],
  ['1.0', null],
  [' 1', null],
  ['1 ', null],
  ['', null],
  [1, null],
])('parseAmount of %p is %p', (value, amount) => {
  expect(parseAmount(value)).toBe(amount);
});

test('isAddress accepts 32 bytes in base58 only', () => {
  const bytes = (count: number): string => bs58.encode(Buffer.alloc(count, 7));
  expect([bytes(32), bytes(31), bytes(33), '0OIl', '', 7].map(isAddress)).toEqual([true, ...Array(5).fill(false)]);
});

test('decodeBase58 decodes at most 100 characters', () => {
  expect([decodeBase58('1'.repeat(100))?.length, decodeBase58('1'.repeat(101)), decodeBase58('0')]).toEqual([100, null, null]);
});

test('optionalText returns a text within its bound, undefined where there is none, and fails otherwise', () => {
  const read = (value: unknown, most?: number) => {
    try {
      return optionalText(
        { name: value },
        'name',
        (message) => {
          throw new Error(message);
        },
        most,
      );
    } catch (error) {
      return (error as Error).message;
    }
  };
  expect([read('ab', 2), read(undefined, 2), read('', 2)]).toEqual(['ab', undefined, '']);
  expect([read('abc', 2), read(7, 2), read(null)]).toEqual([
    'name must be a text of at most 2 characters',
    'name must be a text of at most 2 characters',
    'name must be a text of at most 1000 characters',
  ]);
  expect(read('x'.repeat(1_000))).toHaveLength(1_000);
});
