import { askedMicroUsdc } from './asked-amount';
import { a402, aChargeChallenge, anAddress, aSessionChallenge } from '../payment.builder';

const because = { rule: 'network_mismatch', message: '' };
const x402 = (accepts: object[]) => ({ object: { x402Version: 2, resource: { url: 'https://api.example.com/' }, accepts } });
const offer = (amount: unknown) => ({ scheme: 'exact', network: 'eip155:8453', amount, asset: 'x', payTo: 'y', maxTimeoutSeconds: 60 });

test('the amount of a decline is the one that the rule judged', () =>
  expect(askedMicroUsdc(a402([aChargeChallenge()]), { ...because, attempted_usdc: '12.000001' })).toBe(12_000_001n));

test.each([
  ['a charge', [aChargeChallenge({ request: { amount: '7' } })], 7n],
  ['a session', [aSessionChallenge({ request: { amount: '8' } })], 8n],
  ['another mint', [aChargeChallenge({ request: { amount: '9', currency: anAddress(9) } })], 9n],
  ['another network', [aChargeChallenge({ request: { amount: '9' }, details: { network: 'devnet' } })], 9n],
  [
    'a malformed challenge before a good one',
    [aChargeChallenge({ request: { amount: 'x' } }), aChargeChallenge({ request: { amount: '5' } })],
    5n,
  ],
  ['a token of other decimals', [aChargeChallenge({ request: { amount: '9' }, details: { decimals: 9 } })], 0n],
  ['more than a row can hold', [aChargeChallenge({ request: { amount: String(2n ** 63n) } })], 0n],
  ['the most that a row can hold', [aChargeChallenge({ request: { amount: String(2n ** 63n - 1n) } })], 2n ** 63n - 1n],
  ['nothing that can be read', ['Basic realm="x"'], 0n],
])('the amount asked by %s is read from the challenge', (_what, challenges, expected) =>
  expect(askedMicroUsdc(a402(challenges), because)).toBe(expected),
);

test.each([
  ['a text of base units', '42', 42n],
  ['a number', 42, 0n],
  ['a decimal', '0.5', 0n],
  ['a text of 20 digits', '1'.repeat(20), 0n],
])('an x402 offer with %s as its amount asks for what it says', (_what, amount, expected) =>
  expect(askedMicroUsdc({ challenges: [], x402: x402([offer(amount)]) }, because)).toBe(expected),
);

test('a 402 that asks for nothing readable asks for zero', () => {
  expect(askedMicroUsdc({ challenges: [], x402: null }, because)).toBe(0n);
  expect(askedMicroUsdc({ challenges: [], x402: { header: '%' } }, because)).toBe(0n);
});
