import { createPublicKey, verify } from 'node:crypto';
import { newVapidKey, vapidAuthorization, vapidKeyOf } from './vapid';

const NOW = new Date('2026-11-22T12:00:00Z');
const generated = newVapidKey();
const key = vapidKeyOf(generated.publicKey, generated.pkcs8);
const authorization = (contact?: string): string =>
  vapidAuthorization(key, { endpoint: 'https://push.example.com/send/abc?x=1', contact, now: NOW });

/** The parts of the header's token. */
function tokenIn(header: string): { signed: string; signature: Buffer; head: unknown; claims: unknown } {
  const [head = '', claims = '', signature = ''] = /^vapid t=([^,]+), k=/.exec(header)?.[1]?.split('.') ?? [];
  const decoded = (part: string): unknown => JSON.parse(Buffer.from(part, 'base64url').toString());
  return { signed: `${head}.${claims}`, signature: Buffer.from(signature, 'base64url'), head: decoded(head), claims: decoded(claims) };
}

test('the authorization has a token for the origin of the endpoint that is valid for 12 hours, and the public key', () => {
  const { head, claims } = tokenIn(authorization('mailto:ops@example.com'));
  expect(head).toEqual({ typ: 'JWT', alg: 'ES256' });
  expect(claims).toEqual({ aud: 'https://push.example.com', exp: NOW.getTime() / 1000 + 43_200, sub: 'mailto:ops@example.com' });
  expect(authorization().endsWith(`, k=${generated.publicKey}`)).toBe(true);
});

test('the token has no subject where no contact is set', () => {
  expect(tokenIn(authorization()).claims).not.toHaveProperty('sub');
});

test('the public key, an uncompressed point, verifies the signature of the token', () => {
  const point = Buffer.from(generated.publicKey, 'base64url');
  expect([point.length, point[0]]).toEqual([65, 4]);
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url'));
  const publicKey = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' });
  const { signed, signature } = tokenIn(authorization());
  const isValid = (text: string): boolean => verify('sha256', Buffer.from(text), { key: publicKey, dsaEncoding: 'ieee-p1363' }, signature);
  expect([isValid(signed), isValid(`${signed}x`)]).toEqual([true, false]);
});
