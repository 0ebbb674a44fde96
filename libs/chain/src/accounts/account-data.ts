/** Reads an agent account and the report of the `spending` view. */
import type { PublicKey } from '@solana/web3.js';
import type { ChainAccount, Spending } from './account.types';
import type { OpenCharge } from '../charges/charge.types';
import { readTally, type ChainTally } from '../fleets/tally-data';
import { BUCKETS, BUCKET_SECONDS, NO_LIMIT, REPLAY_WINDOW, coder, dateOf, decodeFields, limitOf, toBigint } from '../program/idl';

/** First bytes of the tombstones of closed accounts and fleets: the program's `CLOSED_ACCOUNT_DISCRIMINATOR`, `CLOSED_FLEET_DISCRIMINATOR`. */
const CLOSED = [Buffer.alloc(8, 0xff), Buffer.alloc(8, 0xfe)];
/** The nonce window and the charge of an `AgentAccount`, which are its end. */
const BYTES_FROM_REPLAY = 8 + Number(REPLAY_WINDOW) / 8 + 72;

/** Null for a closed account. */
export function decodeAccount(address: string, data: Buffer): ChainAccount | null {
  if (isClosed(data)) return null;
  const account = decodeFields('AgentAccount', data);
  const charge = chargeOf(account.charge);
  const { highestSeq, isNonceUsed } = replayWindow(data);
  return {
    address,
    tokenAccount: account.token_account.toBase58(),
    creator: account.creator.toBase58(),
    id: Uint8Array.from(account.id),
    controller: account.controller.toBase58(),
    fleet: account.is_member === 0 ? undefined : account.controller.toBase58(),
    hasOwnPolicy: account.has_policy !== 0,
    authority: account.authority.toBase58(),
    reserved: toBigint(account.tally.reserved),
    openSessions: account.open_sessions,
    owedSessions: account.owed_sessions,
    openCharge: charge.microUsdc === 0n ? null : charge,
    latestCharge: charge.seq === 0n ? null : charge,
    highestSeq,
    usedNonces() {
      const lowest = highestSeq < REPLAY_WINDOW ? 1n : highestSeq - REPLAY_WINDOW + 1n;
      return Array.from({ length: Number(highestSeq - lowest + 1n) }, (_, index) => lowest + BigInt(index)).filter(isNonceUsed);
    },
    isNonceUsed,
    isNonceTooOld: (seq) => seq <= highestSeq && highestSeq - seq >= REPLAY_WINDOW,
  };
}

/** Whether an account has used a nonce; null if it is closed. Reads that bit only: decoding the whole costs more than the request. */
export function hasUsedNonce(data: Buffer, seq: bigint): boolean | null {
  return isClosed(data) ? null : replayWindow(data).isNonceUsed(seq);
}

/** The amounts that left an account, and those that it reserves. */
export const tallyOf = (account: Buffer): ChainTally => readTally(account, BYTES_FROM_REPLAY);

/** Whether these bytes are the tombstone of a closed account or fleet. */
export function isClosed(data: Buffer): boolean {
  return CLOSED.some((tombstone) => data.subarray(0, tombstone.length).equals(tombstone));
}

function replayWindow(data: Buffer): { highestSeq: bigint; isNonceUsed: (seq: bigint) => boolean } {
  const start = data.length - BYTES_FROM_REPLAY;
  const highestSeq = data.readBigUInt64LE(start);
  const isMarked = (seq: bigint): boolean =>
    ((data.readBigUInt64LE(start + 8 + 8 * Number((seq % REPLAY_WINDOW) / 64n)) >> (seq % 64n)) & 1n) === 1n;
  return { highestSeq, isNonceUsed: (seq) => seq <= highestSeq && (highestSeq - seq >= REPLAY_WINDOW || isMarked(seq)) };
}

/** A decoded `Charge`; its amount is zero if it is not open. */
function chargeOf(charge: { id: number[]; amount: unknown; seq: unknown; delegate: PublicKey; deadline: unknown }): OpenCharge {
  return {
    chargeId: Uint8Array.from(charge.id),
    seq: toBigint(charge.seq),
    microUsdc: toBigint(charge.amount),
    delegate: charge.delegate.toBase58(),
    deadline: dateOf(charge.deadline),
  };
}

/** Reads the return data of the `spending` view. */
export function decodeSpending(returned: Buffer): Spending {
  // Nodes cut trailing zeros off return data.
  const whole = Buffer.concat([returned], SPENDING_REPORT_BYTES);
  const report = coder.types.decode('SpendingReport', whole);
  const first = toBigint(report.first_bucket);
  const spentPerBucket: bigint[] = report.buckets.map(toBigint);
  return {
    balance: toBigint(report.balance),
    limit: limitOf(report.limit),
    spent: toBigint(report.spent),
    reserved: toBigint(report.reserved),
    remaining: remainingOf(report.limit, report.spent, report.reserved),
    monthly: { limit: limitOf(report.monthly_limit), spent: toBigint(report.monthly_spent) },
    lifetime: { limit: limitOf(report.lifetime_limit), spent: toBigint(report.lifetime_spent) },
    releases: spentPerBucket.flatMap((microUsdc, index) =>
      microUsdc > 0n ? [{ at: new Date(Number((first + BigInt(index) + BUCKETS) * BUCKET_SECONDS) * 1000), microUsdc }] : [],
    ),
    policyVersion: toBigint(report.policy_version),
    asOf: dateOf(report.now),
  };
}

/** Eleven 64-bit numbers and the buckets. */
const SPENDING_REPORT_BYTES = 8 * (11 + Number(BUCKETS));

/** Micro-USDC that a limit still allows; null without a limit. */
function remainingOf(...numbers: [limit: unknown, spent: unknown, reserved: unknown]): bigint | null {
  const [limit, spent, reserved] = numbers.map(toBigint) as [bigint, bigint, bigint];
  if (limit === NO_LIMIT) return null;
  return limit > spent + reserved ? limit - spent - reserved : 0n;
}
