import { shareOf, type Unresolved } from './unexplained-amounts';

const one = (id: string, least: bigint, most: bigint): Unresolved => ({ id, least, most, held: 0n });
const session = one('session', 1n, 5n);
const other = one('other', 0n, 3n);
const transfer = one('transfer', 4n, 4n);

test.each<[string, bigint, Unresolved[], bigint | undefined]>([
  ['a session alone moved what is missing', 3n, [session], 3n],
  ['a session beside a transfer moved what the transfer leaves', 7n, [session, transfer], 3n],
  ['two sessions of which each moved its most', 8n, [session, other], 5n],
  ['two sessions of which each moved its least', 1n, [session, other], 1n],
  ['two sessions that share an amount in between are not told apart', 4n, [session, other], undefined],
  ['a session moved its most if money arrived that no record has', 0n, [session], 5n],
  ['nothing is told if more is missing than the session can have moved', 6n, [session], undefined],
  ['nothing is told of what is not unresolved', 3n, [other], undefined],
])('the share of an unexplained amount: %s', (_what, microUsdc, unresolved, expected) => {
  expect(shareOf('session', { microUsdc, unresolved })).toBe(expected);
});

test('the share of an unexplained amount: a transfer moved its amount unless more is missing than all can have moved', () => {
  expect(shareOf('transfer', { microUsdc: 4n, unresolved: [transfer, session] })).toBe(4n);
  expect(shareOf('transfer', { microUsdc: 10n, unresolved: [transfer, session] })).toBeUndefined();
});
