import type { SpentInAll } from '../accounts/account.types';
import type { ChainTally } from './tally-data';

/** Sums that all members together must not exceed, in micro-USDC; null for no limit. */
export interface FleetLimits {
  maxDailySpend: bigint | null;
  /** In 30 days, and since the fleet was created. */
  maxMonthlySpend: bigint | null;
  maxLifetimeSpend: bigint | null;
}

/** A fleet as the chain holds it. Its policy is read by `policies`, as an account's. */
export interface ChainFleet {
  address: string;
  creator: string;
  /** 16 bytes that the creator chose. */
  id: Uint8Array;
  /** The operator of the fleet and of all its members. */
  operator: string;
  /** The key that may pause the fleet and add accounts of the same operator. */
  guardian: string | null;
  members: number;
  limits: FleetLimits;
  limitsVersion: bigint;
  /** Of the limits, by the chain's clock. */
  updatedAt: Date;
  /** Micro-USDC that the members reserve. */
  reserved: bigint;
}

/** A fleet to be created: its 16-byte id, its address if that was planned before, and its limits. */
export interface NewFleet {
  id: Uint8Array;
  address: string;
  guardian: string | null;
  limits: FleetLimits;
}

/** The amount that the members together may still spend, in micro-USDC. */
export interface FleetSpending extends SpentInAll {
  limitsVersion: bigint;
}

/** A fleet's window beside those of its members, which are read between two readings of the fleet. */
export interface FleetWindows {
  before: ChainTally;
  after: ChainTally;
  /** Whether nothing of the fleet changed between the readings. */
  isUnchanged: boolean;
  /** Members as the chain counts them. */
  count: number;
  /** The accounts that were asked for and are members. */
  members: ChainTally[];
}

/** The result of a change of limits. A mismatch: their version, or the operator, is not the one that was read. */
export type LimitsChangeOutcome = { kind: 'changed'; slot: number } | { kind: 'version_mismatch' };
