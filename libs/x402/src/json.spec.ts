import { base64 } from '../test/samples';
import { decodeObject, encodeObject, isObject, parseObject, textOf } from './json';

test.each([
  ['without padding', 'eyJhIjoxMH0'],
  ['with padding', 'eyJhIjoxMH0='],
])('decodeObject reads base64 %s', (_what, text) => {
  expect(decodeObject(text)).toEqual({ a: 10 });
});

test.each([
  ['a character before it', '!eyJhIjoxMH0='],
  ['a character behind it', 'eyJhIjoxMH0=!'],
  ['a space in it', 'eyJh IjoxMH0='],
  ['three signs of padding', 'eyJhIjoxfQ==='],
  ['padding that does not fit', 'eyJhIjoxMH0=='],
  ['bits behind its end', 'eyJhIjoxMH1'],
  ['no text', ''],
])('decodeObject answers null for base64 with %s', (_what, text) => {
  expect(decodeObject(text)).toBeNull();
});

test('decodeObject answers null for an object with a text that is not UTF-8', () => {
  const bytes = Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff]), Buffer.from('"}')]);
  expect(decodeObject(bytes.toString('base64'))).toBeNull();
});

test.each(['', '{', '[]', '"a"', '1', 'null'])('parseObject answers null for %j', (text) => {
  expect(parseObject(text)).toBeNull();
  expect(decodeObject(base64(text))).toBeNull();
});

test('parseObject reads objects nested 64 levels deep and no deeper', () => {
  const nested = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
  expect(parseObject(nested(64))).not.toBeNull();
  expect(parseObject(nested(65))).toBeNull();
});

test('encodeObject writes base64 with padding that decodeObject reads back', () => {
  const object = { text: 'ü?>', list: [1, null] };
  expect(encodeObject(object)).toMatch(/=$/);
  expect(decodeObject(encodeObject(object))).toEqual(object);
});

test('textOf answers null for a value that JSON cannot express', () => {
  const cyclic: { self?: unknown } = {};
  cyclic.self = cyclic;
  expect([textOf(cyclic), textOf(undefined), textOf(1n), textOf({ a: 1 })]).toEqual([null, null, null, '{"a":1}']);
});

test('isObject is true for objects, and false for lists, null and other values', () => {
  expect([{}, [], null, 'a', 1].map(isObject)).toEqual([true, false, false, false, false]);
});
