import { jsonDefect } from './json-defect';

test.each([
  ['{"a":1,}', 'line 1, column 8: a member’s name in double quotes is expected'],
  ['{\n  "a": 1\n  "b": 2\n}', 'line 3, column 3: “,” is expected'],
  ["{'a':1}", 'line 1, column 2: this is no value of JSON, whose names and texts have double quotes'],
  ['{"ü":}', 'line 1, column 6: a value is expected'],
  ['{"a":1', 'line 1, column 7: “}” is expected'],
  ['{"a":"x\n"}', 'line 1, column 6: the closing quote is missing'],
  ['', 'line 1, column 1: a value is expected'],
  ['{"a":1}', undefined],
  ['['.repeat(2_001), undefined],
])('the defect of %j is %j', (text, defect) => expect(jsonDefect(text)).toBe(defect));
