import fc from 'fast-check';
import { scanJson } from './json-scan';

/** Members and elements of a parsed value. */
function countOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const items = Object.values(value);
  return items.length + items.reduce((sum: number, item) => sum + countOf(item), 0);
}

test('scanJson counts the members and elements of any JSON text, and finds none repeated', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.integer({ min: 0, max: 2 }), (value, spaces) => {
      expect(scanJson(JSON.stringify(value, null, spaces))).toEqual({ repeated: undefined, count: countOf(value) });
    }),
  );
});

test.each([
  ['{"a":1,"a":2}', 'a'],
  ['{"a":1,"\\u0061":2}', 'a'],
  ['{"a":{"b":[{"c":1},{"c":2,"c":3}]}}', 'a.b.c'],
  ['{"a":{"x":1},"b":{"x":1}}', undefined],
  ['[{"a":1},{"a":1}]', undefined],
  ['{"a":"\\"a\\":1,","b":"{\\"b\\":1}"}', undefined],
])('scanJson of %s finds %s repeated', (text, repeated) => {
  expect(scanJson(text).repeated).toBe(repeated);
});

test('scanJson does not count what an uncounted member contains', () => {
  const text = '{"request":{"url":"u","body":{"a":[1,2,3]}},"ids":[1,2]}';
  expect(scanJson(text).count).toBe(10);
  expect(scanJson(text, ['request.body', 'ids']).count).toBe(4);
});

test.each(['', '{', '{"a', '{"a":', '[1,', '}{', '"\\', '{"\\ud8', '[[[['])('scanJson ends on %j, which is not JSON', (text) => {
  expect(scanJson(text).count).toBeLessThan(5);
});
