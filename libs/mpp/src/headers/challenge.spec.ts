import { aCharge, encoded, errorOf } from '../../test/samples';
import { areTooManyChallenges, parseChallenges, serialiseChallenge, type Challenge } from './challenge';

/** The value of a header with these parameters of a valid challenge changed; null leaves one out. */
function value(changes: Record<string, string | null> = {}): string {
  const params = { id: 'a', realm: 'r', method: 'solana', intent: 'charge', request: encoded(aCharge()), ...changes };
  const given = Object.entries(params).filter(([, text]) => text !== null);
  return `Payment ${given.map(([name, text]) => `${name}="${text}"`).join(', ')}`;
}
const parse = (changes?: Record<string, string | null>) => parseChallenges([value(changes)]);
const defectOf = (changes: Record<string, string | null>): string => {
  const { challenges, defects } = parse(changes);
  return challenges.length > 0 ? 'none' : `${defects[0]?.code}: ${defects[0]?.message}`;
};
const invalid = (message: string): string => `challenge_invalid: a Payment challenge: ${message}`;

test('a challenge has its parameters, as they came and decoded', () => {
  const request = encoded(aCharge());
  const opaque = encoded({ order: '42' });
  const optional = { digest: 'sha-256=x', description: 'A report', category: 'data', expires: '2026-11-21T10:00:00Z', opaque };
  expect(parse({ ...optional, header: 'Payment-Authorization' }).challenges).toEqual([
    {
      id: 'a',
      realm: 'r',
      method: 'solana',
      intent: 'charge',
      request,
      requestObject: aCharge(),
      ...optional,
      expiresAt: new Date('2026-11-21T10:00:00Z'),
      opaqueTexts: { order: '42' },
      header: 'Payment-Authorization',
    },
  ]);
});

test('a challenge has no member for a parameter that is left out', () => {
  expect(Object.keys(parse().challenges[0] ?? {})).toEqual(['id', 'realm', 'method', 'intent', 'request', 'requestObject']);
});

test('the header Authorization is the default, in any case', () => {
  expect(parse({ header: 'AUTHORIZATION' }).challenges[0]).not.toHaveProperty('header');
});

test('an empty realm is allowed', () => {
  expect(parse({ realm: '' }).challenges[0]?.realm).toBe('');
});

test.each<[Record<string, string | null>, string]>([
  [{ id: null }, invalid('id must have 1 to 1024 characters')],
  [{ id: '' }, invalid('id must have 1 to 1024 characters')],
  [{ id: 'x'.repeat(1_024) }, 'none'],
  [{ id: 'x'.repeat(1_025) }, invalid('id must have 1 to 1024 characters')],
  [{ realm: null }, invalid('realm is missing')],
  [{ method: null }, invalid('method must be a name in lower case')],
  [{ method: 'Solana' }, invalid('method must be a name in lower case')],
  [{ method: '1x' }, invalid('method must be a name in lower case')],
  [{ method: ' solana' }, invalid('method must be a name in lower case')],
  [{ method: 'solana ' }, invalid('method must be a name in lower case')],
  [{ method: `s${'x'.repeat(63)}` }, 'none'],
  [{ method: `s${'x'.repeat(64)}` }, invalid('method must be a name in lower case')],
  [{ intent: null }, invalid('intent must be of letters, digits and hyphens')],
  [{ intent: 'a b' }, invalid('intent must be of letters, digits and hyphens')],
  [{ intent: ' a' }, invalid('intent must be of letters, digits and hyphens')],
  [{ intent: '' }, invalid('intent must be of letters, digits and hyphens')],
  [{ intent: 'x'.repeat(64) }, 'none'],
  [{ intent: 'x'.repeat(65) }, invalid('intent must be of letters, digits and hyphens')],
  [{ request: null }, invalid('request is missing')],
  [{ request: '' }, invalid('request is missing')],
  [{ request: encoded([]) }, invalid('request is no JSON object in base64url')],
  [{ request: 'A'.repeat(16_385) }, 'challenge_too_large: a Payment challenge: request has 16385 characters, and 16384 are read'],
  [{ request: 'A'.repeat(16_384) }, invalid('request is no JSON object in base64url')],
  [{ expires: 'tomorrow' }, invalid('expires is no date and time of RFC 3339')],
  [{ opaque: encoded([]) }, invalid('opaque is no JSON object of texts in base64url')],
  [{ opaque: encoded({ a: 'x', b: 1 }) }, invalid('opaque is no JSON object of texts in base64url')],
  [{ header: 'Cookie' }, invalid('header names a field that no credential may go into')],
  [{ header: 'x-payment-a' }, invalid('header names a field that no credential may go into')],
  [{ header: 'payment-' }, invalid('header names a field that no credential may go into')],
  [{ header: `payment-${'x'.repeat(48)}` }, 'none'],
  [{ header: `payment-${'x'.repeat(49)}` }, invalid('header names a field that no credential may go into')],
])('a challenge is read or is a defect with the reason (case %#)', (changes, defect) => {
  expect(defectOf(changes)).toBe(defect);
});

test('a header value of 65,536 characters is read and a longer one is a defect', () => {
  const filled = (characters: number): string => `${value()}, x="${'y'.repeat(characters - value().length - 6)}"`;
  expect(parseChallenges([filled(65_536)]).challenges).toHaveLength(1);
  expect(parseChallenges([filled(65_537), value()])).toMatchObject({
    challenges: [{ id: 'a' }],
    defects: [{ code: 'challenge_too_large', message: 'a WWW-Authenticate value has 65537 characters, and 65536 are read' }],
  });
});

test('a malformed Payment challenge is a defect, and a malformed one of another scheme is none', () => {
  expect(parseChallenges(['Payment realm=r, id='])).toMatchObject({
    challenges: [],
    defects: [{ code: 'challenge_invalid', message: 'a Payment challenge: id has no value, or one that does not end' }],
  });
  expect(parseChallenges(['Digest realm='])).toEqual({ challenges: [], defects: [] });
});

const challenge = { id: 'a', realm: 'r', method: 'solana', intent: 'charge' };
const written = (more: Partial<Challenge> & { request?: Record<string, unknown> }): string =>
  serialiseChallenge({ ...challenge, request: {}, ...more } as Parameters<typeof serialiseChallenge>[0]);

test('serialiseChallenge writes the parameters in a fixed order, and a request as it is or encoded', () => {
  const optional = { category: 'c', opaque: 'o', header: 'h', expires: 'e', digest: 'g', description: 'd' };
  expect(serialiseChallenge({ ...optional, ...challenge, request: 'abc' })).toBe(
    'Payment id="a", realm="r", method="solana", intent="charge", request="abc", description="d", digest="g", expires="e", header="h", opaque="o", category="c"',
  );
  expect(written({})).toBe('Payment id="a", realm="r", method="solana", intent="charge", request="e30"');
});

test('serialiseChallenge escapes quotes, backslashes and characters beyond Latin-1', () => {
  expect(written({ realm: 'a"b\\c ü — 😀\t' })).toContain('realm="a\\"b\\\\c ü \\u2014 \\ud83d\\ude00\t"');
});

test.each(['a\nb', 'a\0', 'a\u007f', 'a\u001f'])('serialiseChallenge rejects the control characters of %j', (realm) => {
  expect(errorOf(() => written({ realm }))).toBe('challenge_invalid: a header cannot carry control characters');
});

test('of more than 32 challenges the first 32 are read, in one value or in several', () => {
  const many = (count: number): string => Array.from({ length: count }, () => 'Payment a=b').join(', ');
  for (const values of [[many(5_000)], [many(20), many(20)], Array.from({ length: 40 }, () => many(1))]) {
    const { challenges, defects } = parseChallenges(values);
    expect(challenges.length + defects.length).toBe(33);
    expect(defects.at(-1)).toMatchObject({ code: 'challenge_too_large', message: 'only the first 32 challenges are read' });
  }
  expect(parseChallenges([many(32)]).defects).toHaveLength(32);
  expect(areTooManyChallenges([many(32)])).toBe(false);
  expect(areTooManyChallenges([many(20), many(13)])).toBe(true);
});
