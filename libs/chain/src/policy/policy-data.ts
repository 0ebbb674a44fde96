/** Reads a policy's account, and builds the arguments that change it. */
import { createHash } from 'node:crypto';
import { PublicKey } from '@solana/web3.js';
import type { ChainPolicy, PolicyChange } from './policy.types';
import { ENTRY_BYTES, addressEntry, addressName, byWords, categoryEntry, categoryName, entriesOf } from './list-entries';
import { amountChange as amount, coder, dateOf, decodeFields, limitOf as limit, toBigint, toBn } from '../program/idl';

/** Bytes before the lists: the discriminator and the fixed fields. */
export const POLICY_HEADER_BYTES = coder.accounts.size('Policy');

/** Number of entries of a list that is not set; `NO_LIST` of the program. */
const NO_LIST = 0xffff;

/** The last second that a date has, in unix seconds. */
const LAST_SECOND = 8_640_000_000_000n;

/** Reads the bytes of a policy account. */
export function decodePolicy(data: Buffer): ChainPolicy {
  const header = decodeFields('Policy', data);
  const [counterparties, categories] = [header.counterparty_count, header.category_count].map((count) =>
    count === NO_LIST ? null : count,
  );
  const entries = entriesOf(data.subarray(POLICY_HEADER_BYTES));
  const listed = (count: number | null | undefined, start: number) =>
    count === null || count === undefined ? null : entries.slice(start, start + count);
  return {
    version: toBigint(header.version),
    maxSingleTransfer: limit(header.max_single_transfer),
    maxDailySpend: limit(header.max_daily_spend),
    maxMonthlySpend: limit(header.max_monthly_spend),
    maxLifetimeSpend: limit(header.max_lifetime_spend),
    maxSessionCap: limit(header.max_session_cap),
    escalationThreshold: limit(header.escalation_threshold),
    approvalAboveDailySum: limit(header.approval_above_daily_sum),
    // A time that no date can hold never comes.
    validUntil: toBigint(header.valid_until) > LAST_SECOND ? null : dateOf(header.valid_until),
    allowedCounterparties: listed(counterparties, 0)?.map(addressName) ?? null,
    categories: listed(categories, counterparties ?? 0)?.map(categoryName) ?? null,
    requireMemo: header.require_memo === 1,
    paused: header.paused === 1,
    updatedAt: new Date(Number(toBigint(header.updated_at)) * 1000),
  };
}

/** The two lists of a change, as entries; the counterparties in the order in which the program keeps them. */
export interface ListEntries {
  counterparties: Uint8Array[];
  categories: Uint8Array[];
}

export function listEntries(change: PolicyChange): ListEntries {
  return {
    counterparties: (change.allowedCounterparties ?? []).map(addressEntry).sort(byWords),
    categories: (change.categories ?? []).map(categoryEntry),
  };
}

/** The `content_hash` of a draft with these lists: SHA-256 of the number of counterparties (u16 LE) and all entries. */
export function draftContentHash({ counterparties, categories }: ListEntries): Buffer {
  const split = Buffer.alloc(2);
  split.writeUInt16LE(counterparties.length);
  return createHash('sha256')
    .update(Buffer.concat([split, ...counterparties, ...categories]))
    .digest();
}

/** Whether the change only pauses: the one change that needs no version. */
export function isPauseAlone(change: PolicyChange): boolean {
  return change.paused === true && Object.values(change).filter((value) => value !== undefined).length === 1;
}

/** Arguments of `set_policy`. Staged lists are read from a draft instead of the transaction. */
export function setPolicyArgs(change: PolicyChange, expectedVersion: bigint | null, isStaged: boolean): object {
  const time = (value: Date | null | undefined) =>
    value === undefined ? { Keep: {} } : value === null ? { Clear: {} } : { Set: { unix_seconds: toBn(BigInt(value.getTime()) / 1000n) } };
  const list = (value: string[] | null | undefined, entries: Uint8Array[]) => {
    if (value === undefined) return { Keep: {} };
    if (value === null) return { Clear: {} };
    return isStaged ? { Staged: {} } : { Set: { entries: entries.map((entry) => [...entry]) } };
  };
  const { counterparties, categories } = listEntries(change);
  return {
    expected_version: expectedVersion === null ? null : toBn(expectedVersion),
    max_single_transfer: amount(change.maxSingleTransfer),
    max_daily_spend: amount(change.maxDailySpend),
    max_monthly_spend: amount(change.maxMonthlySpend),
    max_lifetime_spend: amount(change.maxLifetimeSpend),
    max_session_cap: amount(change.maxSessionCap),
    escalation_threshold: amount(change.escalationThreshold),
    approval_above_daily_sum: amount(change.approvalAboveDailySum),
    valid_until: time(change.validUntil),
    allowed_counterparties: list(change.allowedCounterparties, counterparties),
    categories: list(change.categories, categories),
    require_memo: change.requireMemo ?? null,
    paused: change.paused ?? null,
  };
}

/** Whether text is a public key in base58. */
export function isAddress(text: string): boolean {
  try {
    return new PublicKey(text).toBytes().length === ENTRY_BYTES && /^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(text);
  } catch {
    return false;
  }
}
