import { decodeBase64url, encodeBase64url } from './base64url';
import { decodeObject, encodeObject, isObject } from './json';

test.each([
  ['', ''],
  ['YQ', 'a'],
  ['YQ==', 'a'],
  ['YWI', 'ab'],
  ['YWI=', 'ab'],
  ['YWJj', 'abc'],
  ['-_8', '\xfb\xff'],
])('decodeBase64url reads %j', (text, bytes) => {
  expect(decodeBase64url(text)?.toString('latin1')).toBe(bytes);
});

test.each(['YQ=', 'YWI==', 'YWJj=', 'Y', 'YWJjZ', 'YR', 'YQ===', 'YWJj====', '+/8', 'Y Q', ' YQ', 'YQ ', 'YQ\n', '=YQ'])(
  'decodeBase64url answers null for %j',
  (text) => {
    expect(decodeBase64url(text)).toBeNull();
  },
);

test('encodeBase64url writes text and bytes without padding', () => {
  expect([encodeBase64url('a'), encodeBase64url(Buffer.from([0xfb, 0xff])), encodeBase64url('ü')]).toEqual(['YQ', '-_8', 'w7w']);
});

const object = (text: string | Buffer) => decodeObject(encodeBase64url(text));

test.each(['', '{', '[]', '"a"', '1', 'null', 'true'])('decodeObject answers null for %j', (text) => {
  expect(object(text)).toBeNull();
});

test('decodeObject answers null for what is no base64url, and for text that is not UTF-8', () => {
  expect(decodeObject('a+b/')).toBeNull();
  expect(object(Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff]), Buffer.from('"}')]))).toBeNull();
});

test('decodeObject reads objects nested 16 levels deep and no deeper, in objects and lists', () => {
  const nested = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
  const listed = (levels: number): string => `{"a":${'['.repeat(levels)}${']'.repeat(levels)},"b":1}`;
  expect([object(nested(16)), object(listed(15))]).toEqual([expect.anything(), expect.anything()]);
  expect([object(nested(17)), object(listed(16))]).toEqual([null, null]);
});

test('encodeObject writes canonical JSON: sorted members, no spaces, nothing for undefined', () => {
  const text = (value: Record<string, unknown>) => decodeBase64url(encodeObject(value))?.toString();
  expect(text({ b: [1, { d: 'x', c: null }, undefined], a: undefined, Z: true, 'ü"': '\\' })).toBe(
    '{"Z":true,"b":[1,{"c":null,"d":"x"},null],"ü\\"":"\\\\"}',
  );
  expect(text({})).toBe('{}');
});

test('isObject is true for objects, and false for lists, null and other values', () => {
  expect([{}, [], null, 'a', 1, undefined].map(isObject)).toEqual([true, false, false, false, false, false]);
});
