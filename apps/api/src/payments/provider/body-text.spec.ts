import { sentBody, textOf } from './body-text';

test.each([
  ['text/plain', 'hello', 'hello'],
  ['text/html; charset=utf-8', '<p>ü</p>', '<p>ü</p>'],
  ['Text/CSV', 'a,b', 'a,b'],
  ['application/json', '{"a":1}', '{"a":1}'],
  ['application/problem+json;charset=utf-8', '{}', '{}'],
  ['application/json', '', ''],
  ['application/octet-stream', 'hello', null],
  ['application/jsonp', 'hello', null],
  ['image/svg+xml', '<svg/>', null],
  ['', 'hello', null],
  [undefined, 'hello', null],
])('a body of the type %p with %j is shown as %j', (type, text, expected) => expect(textOf(Buffer.from(text), type)).toBe(expected));

test('a text that is not valid UTF-8 is not shown as text', () => expect(textOf(Buffer.from([0x61, 0xff]), 'text/plain')).toBeNull());

test('a text that ends within a character is not shown as text', () =>
  expect(textOf(Buffer.from('ü').subarray(0, 1), 'text/plain')).toBeNull());

const sent = (body: Parameters<typeof sentBody>[0], headers = {}) => {
  const { body: bytes, headers: all } = sentBody(body, headers);
  return [bytes === null ? null : Buffer.from(bytes, 'base64').toString(), all];
};

test.each<[Parameters<typeof sentBody>[0], string]>([
  [{ q: 'ü', n: [1, null] }, '{"q":"ü","n":[1,null]}'],
  [[1, 2], '[1,2]'],
  [7, '7'],
  [false, 'false'],
  [null, 'null'],
])('the JSON value %j is sent as JSON with that content type', (body, text) =>
  expect(sent(body, { 'X-A': '1' })).toEqual([text, { 'X-A': '1', 'Content-Type': 'application/json' }]),
);

test('a JSON value keeps the content type that the caller names', () =>
  expect(sent({ a: 1 }, { 'content-type': 'application/vnd.api+json' })).toEqual([
    '{"a":1}',
    { 'content-type': 'application/vnd.api+json' },
  ]));

test('a text is sent as it is, without a content type', () => {
  expect(sent('{"a":1}')).toEqual(['{"a":1}', {}]);
  expect(sent('')).toEqual(['', {}]);
});

test('a request without a body has none', () => expect(sent(undefined)).toEqual([null, {}]));
