import type { OpenCharge } from '../charges/charge.types';
import type { AccountAddresses } from '../program/addresses';

/** A limit and what counts against it beside what is reserved, in micro-USDC. */
export interface SpentOf {
  limit: bigint | null;
  spent: bigint;
}

/** The sums that count against the limits of an account or a fleet, by the chain's clock. Money in micro-USDC; null if there is no limit. */
export interface SpentInAll {
  limit: bigint | null;
  spent: bigint;
  reserved: bigint;
  remaining: bigint | null;
  /** In 30 days, and ever. */
  monthly: SpentOf;
  lifetime: SpentOf;
  /** When spent amounts stop counting against the limit of 24 hours. */
  releases: { at: Date; microUsdc: bigint }[];
  asOf: Date;
}

/** The amount that an account may still spend, in micro-USDC. */
export interface Spending extends SpentInAll {
  balance: bigint;
  policyVersion: bigint;
}

/** An account as the chain holds it. */
export interface ChainAccount extends AccountAddresses {
  creator: string;
  /** 16 bytes that the creator chose. */
  id: Uint8Array;
  /** The operator; for a member the address of its fleet, whose operator is the account's. */
  controller: string;
  authority: string;
  /** Micro-USDC. */
  reserved: bigint;
  openSessions: number;
  /** Sessions that ended while their payee could not receive what it is owed. */
  owedSessions: number;
  /** The charge whose delegate may move money now. */
  openCharge: OpenCharge | null;
  /** The charge that is open, or the last one that was; null before the first. */
  latestCharge: OpenCharge | null;
  /** Highest nonce used. */
  highestSeq: bigint;
  /** The used nonces of the nonce window, ascending. */
  usedNonces(): bigint[];
  /** Whether the nonce `seq` was used. Nonces below the nonce window count as used. */
  isNonceUsed(seq: bigint): boolean;
  /** Whether the nonce `seq` is below the nonce window, so that the account does not show whether it was used. */
  isNonceTooOld(seq: bigint): boolean;
}

/** The closing of an account. */
export interface AccountClosing {
  signature: string;
  /** Micro-USDC that the account still held, moved to `destination`. */
  swept: bigint;
  /** Token account. */
  destination: string;
}
