import type { ChainTally, FleetWindows } from '#chain';
import { doAgree } from './fleet-windows';

const NEWEST = 2_000_000n;
/** A tally whose amounts left in these buckets, counted back from the newest one. */
const tally = (left: Record<number, bigint>, { newest = NEWEST, reserved = 0n } = {}): ChainTally => ({
  reserved,
  newest,
  since: (first) =>
    Object.entries(left).reduce((sum, [ago, amount]) => {
      const bucket = NEWEST - BigInt(ago);
      return bucket >= first && bucket > newest - 97n ? sum + amount : sum;
    }, 0n),
});
const windows = (fleet: ChainTally, members: ChainTally[], more: Partial<FleetWindows> = {}): FleetWindows => {
  return { before: fleet, after: fleet, isUnchanged: true, count: members.length, members, ...more };
};
const bucketsAgo = (count: number): Date => new Date(Number(NEWEST - BigInt(count)) * 900_000);
const YESTERDAY = bucketsAgo(200);

test.each<[string, boolean, FleetWindows]>([
  ['of what its members spent', true, windows(tally({ 0: 3n, 9: 4n }), [tally({ 0: 1n, 9: 4n }), tally({ 0: 2n })])],
  ['of one unit less than its members spent', false, windows(tally({ 0: 2n, 9: 4n }), [tally({ 0: 3n, 9: 4n })])],
  ['of one unit more than its members spent', false, windows(tally({ 9: 5n }), [tally({ 9: 4n })])],
  ['whose members spent a bucket before it', true, windows(tally({ 8: 4n }), [tally({ 9: 4n })])],
  ['whose members spent a bucket after it', true, windows(tally({ 9: 4n }), [tally({ 8: 4n })])],
  [
    'with a member that is idle since yesterday',
    true,
    windows(tally({ 0: 1n }), [tally({ 0: 1n }), tally({ 120: 7n }, { newest: NEWEST - 120n })]),
  ],
  ['that reserves what its members do', true, windows(tally({}, { reserved: 5n }), [tally({}, { reserved: 5n }), tally({})])],
  ['that reserves one unit more', false, windows(tally({}, { reserved: 6n }), [tally({}, { reserved: 5n })])],
  ['that is changing, whatever it reserves', true, windows(tally({}, { reserved: 6n }), [tally({})], { isUnchanged: false })],
  ['with a member that the database does not have', false, windows(tally({}), [tally({})], { count: 2 })],
  [
    'that was read before and after its members spent',
    true,
    windows(tally({ 9: 4n }), [tally({ 0: 2n, 9: 4n })], { after: tally({ 0: 3n, 9: 4n }), isUnchanged: false }),
  ],
])('the window of a fleet %s: agreement is %s', (_fleet, agreement, read) => {
  expect(doAgree(read, YESTERDAY)).toBe(agreement);
});

test('the windows of fleet and members are compared in the buckets that began after an account joined or left', () => {
  const joined = windows(tally({ 3: 1n }), [tally({ 3: 1n, 5: 9n })]);
  expect([doAgree(joined, bucketsAgo(7)), doAgree(joined, bucketsAgo(5))]).toEqual([false, true]);
});
