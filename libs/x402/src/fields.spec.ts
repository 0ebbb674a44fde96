import bs58 from 'bs58';
import { isAddress, isSignature, noteOf, parseAmount, parseText } from './fields';

const bytes = (count: number): string => bs58.encode(Buffer.alloc(count, 7));

test.each<[unknown, bigint | null]>([
  ['0', 0n],
  ['1', 1n],
  ['18446744073709551615', 18446744073709551615n],
  ['18446744073709551616', null],
  ['99999999999999999999', null],
  ['100000000000000000000', null],
  ['01', null],
  ['-1', null],
  ['1.0', null],
  ['1 ', null],
  [' 1', null],
  ['', null],
  [1, null],
  [undefined, null],
])('parseAmount of %p is %p', (value, amount) => {
  expect(parseAmount(value)).toBe(amount);
});

test('isAddress accepts 32 bytes in base58 only', () => {
  expect([bytes(32), bytes(31), bytes(33), '0OIl', '', 7, '1'.repeat(89)].map(isAddress)).toEqual([true, ...Array(6).fill(false)]);
});

test('isSignature accepts 64 bytes in base58 only', () => {
  expect([bytes(64), bytes(63), bytes(65), 'é', 7].map(isSignature)).toEqual([true, ...Array(4).fill(false)]);
});

test('a base58 text of 88 characters is decoded and a longer one is not', () => {
  const longest = bs58.encode(Buffer.alloc(64, 255));
  expect([longest.length, isSignature(longest), isSignature(`${longest}1`)]).toEqual([88, true, false]);
});

test('parseText accepts 1 to maxCharacters characters', () => {
  expect([parseText('a', 2), parseText('ab', 2), parseText('abc', 2), parseText('', 2), parseText(7, 2)]).toEqual([
    'a',
    'ab',
    null,
    null,
    null,
  ]);
});

test('noteOf cuts a text, and is undefined without one', () => {
  expect([noteOf('abc', 2), noteOf('ab', 2), noteOf('', 2), noteOf(7, 2), noteOf('a\ud83d\ude00', 2)]).toEqual([
    'ab',
    'ab',
    undefined,
    undefined,
    'a\ufffd',
  ]);
});
