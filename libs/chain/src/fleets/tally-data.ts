/** Reads what left an account or a fleet in the last 24 hours, in place: decoding the whole costs more than the request. */
import { BUCKETS } from '../program/idl';

/** The 24 hours' window and what is reserved, in micro-USDC. */
export interface ChainTally {
  reserved: bigint;
  /** Number of the newest bucket: unix seconds / 900. */
  newest: bigint;
  /** The sums that left in bucket `first` and the later ones. */
  since(first: bigint): bigint;
}

/** Bytes of a number; and of a tally: reserved, lifetime, and the windows of 97 and 31 buckets, each with its newest bucket and its sum. */
const NUMBER = 8;
const TALLY_BYTES = NUMBER * (2 + Number(BUCKETS) + 2 + 31 + 2);
const WINDOW = 2 * NUMBER;

/** The tally that ends `after` bytes before the end of an account's bytes. */
export function readTally(data: Buffer, after: number): ChainTally {
  const start = data.length - after - TALLY_BYTES;
  const number = (index: number) => data.readBigUInt64LE(start + WINDOW + NUMBER * index);
  const newest = number(Number(BUCKETS));
  return {
    reserved: data.readBigUInt64LE(start),
    newest,
    since(first) {
      let sum = 0n;
      const oldest = newest < BUCKETS ? 0n : newest - BUCKETS + 1n;
      for (let bucket = first > oldest ? first : oldest; bucket <= newest; bucket++) sum += number(Number(bucket % BUCKETS));
      return sum;
    },
  };
}
