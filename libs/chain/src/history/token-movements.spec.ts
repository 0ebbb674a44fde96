import { TOKEN_PROGRAM } from '../program/idl';
import type { LandedTransaction } from './landed-transaction';
import { tokenMovements } from './token-movements';

const u64 = (value: bigint): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes;
};
const transferChecked = (amount: bigint): Buffer => Buffer.concat([Buffer.of(12), u64(amount), Buffer.of(6)]);
const transfer = (amount: bigint): Buffer => Buffer.concat([Buffer.of(3), u64(amount)]);
const movements = (accounts: string[], data: Buffer, program = TOKEN_PROGRAM) =>
  tokenMovements({ instructions: [{ program, accounts, data }] } as unknown as LandedTransaction);

test('a transfer moves its amount from the source to the destination by the authority', () => {
  const moved = [{ source: 'a', destination: 'b', authority: 'c', microUsdc: 5n }];
  expect(movements(['a', 'mint', 'b', 'c'], transferChecked(5n))).toEqual(moved);
  expect(movements(['a', 'b', 'c'], transfer(5n))).toEqual(moved);
  expect(movements(['a', 'b', 'c'], transfer(5n), 'another')).toEqual([]);
});

test('a batch of the token program moves what its instructions move', () => {
  const part = (count: number, data: Buffer): Buffer => Buffer.concat([Buffer.of(count, data.length), data]);
  const data = Buffer.concat([Buffer.of(255), part(4, transferChecked(5n)), part(1, Buffer.of(9)), part(3, transfer(7n))]);
  expect(movements(['a', 'mint', 'b', 'c', 'x', 'd', 'e', 'f'], data)).toEqual([
    { source: 'a', destination: 'b', authority: 'c', microUsdc: 5n },
    { source: 'd', destination: 'e', authority: 'f', microUsdc: 7n },
  ]);
});
