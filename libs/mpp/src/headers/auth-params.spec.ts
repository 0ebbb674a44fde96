import { splitChallenges } from './auth-params';

/** The challenges of a value as plain objects. */
const split = (value: string) =>
  splitChallenges(value).map(({ scheme, params, defect }) => ({ scheme, ...Object.fromEntries(params), ...(defect && { defect }) }));

test('splitChallenges reads several challenges and their parameters', () => {
  expect(split('Payment id="a", realm=r, Basic realm="x", Bearer')).toEqual([
    { scheme: 'payment', id: 'a', realm: 'r' },
    { scheme: 'basic', realm: 'x' },
    { scheme: 'bearer' },
  ]);
});

test.each(['', ' ', ',', ' , ,\t'])('splitChallenges finds nothing in %j', (value) => {
  expect(split(value)).toEqual([]);
});

test('splitChallenges lowers the case of schemes and names and keeps the case of values', () => {
  expect(split('PAYMENT ID="Aa"')).toEqual([{ scheme: 'payment', id: 'Aa' }]);
});

test.each([
  ['spaces and tabs', 'Payment \t id \t = \t a \t , \t realm = "r" \t '],
  ['repeated commas', ',,Payment id=a,, ,realm="r",,'],
])('splitChallenges allows %s', (_what, value) => {
  expect(split(value)).toEqual([{ scheme: 'payment', id: 'a', realm: 'r' }]);
});

test('splitChallenges passes over credentials in one piece of other schemes', () => {
  expect(split('Negotiate abc==, Payment id=a')).toEqual([{ scheme: 'negotiate' }, { scheme: 'payment', id: 'a' }]);
  expect(split('Negotiate a.b-c_d~e+f/g')).toEqual([{ scheme: 'negotiate' }]);
  expect(split('Negotiate abc')).toEqual([{ scheme: 'negotiate' }]);
});

test('splitChallenges takes a token without "=" for the scheme of the next challenge', () => {
  expect(split('Payment id=a, Digest')).toEqual([{ scheme: 'payment', id: 'a' }, { scheme: 'digest' }]);
});

test.each([
  ['an escaped quote', '"a\\"b"', 'a"b'],
  ['an escaped backslash', '"a\\\\b"', 'a\\b'],
  ['a character that mppx escapes', '"\\u20ac"', '€'],
  ['an escaped backslash before u20ac', '"\\\\u20ac"', '\\u20ac'],
  ['an escaped u without four hexadecimal digits', '"\\u20ag"', 'u20ag'],
  ['commas and equals signs', '"a, b=c"', 'a, b=c'],
  ['nothing', '""', ''],
])('splitChallenges reads a quoted string with %s', (_what, quoted, text) => {
  expect(split(`Payment id=${quoted}, realm=r`)).toEqual([{ scheme: 'payment', id: text, realm: 'r' }]);
});

test.each([
  ['begins with no scheme', '"a"', { scheme: '', defect: 'it begins with no scheme' }],
  ['names a parameter twice', 'Payment id=a, ID=b', { scheme: 'payment', id: 'a', defect: 'id is there twice' }],
  ['has no value', 'Payment realm=r, id=', { scheme: 'payment', realm: 'r', defect: 'id has no value, or one that does not end' }],
  ['has a quoted string without end', 'Payment id="a', { scheme: 'payment', defect: 'id has no value, or one that does not end' }],
  ['ends with a backslash', 'Payment id="a\\', { scheme: 'payment', defect: 'id has no value, or one that does not end' }],
  [
    'separates parameters by spaces',
    'Payment id=a realm=r',
    { scheme: 'payment', id: 'a', defect: 'its parameters are not separated by commas' },
  ],
])('a challenge that %s is a defect and ends the value', (_what, value, challenge) => {
  expect(split(`${value}`)).toEqual([challenge]);
});

test('a defect keeps the challenges before it', () => {
  expect(split('Basic realm=x, Payment id="a')).toMatchObject([{ scheme: 'basic', realm: 'x' }, { scheme: 'payment' }]);
});
