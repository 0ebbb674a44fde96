/** The rules of a policy, named as the API names them, in the order in which the program checks them. */
export const RULES = [
  'paused',
  'max_single_transfer',
  'max_session_cap',
  'allowed_counterparties',
  'categories',
  'require_memo',
  'max_daily_spend',
  'insufficient_balance',
  'escalation_threshold',
] as const;
export type Rule = (typeof RULES)[number];

/** A policy violation: the rule that failed, and the numbers that the program compared, where they apply. Money in micro-USDC. */
export interface Violation {
  rule: Rule;
  limit?: bigint;
  attempted?: bigint;
  remaining?: bigint;
  reserved?: bigint;
  /** When the same amount fits, by the chain's clock. */
  availableAt?: Date;
  policyVersion?: bigint;
}

/** A policy as the chain holds it. Money in micro-USDC; null means no limit. */
export interface ChainPolicy {
  version: bigint;
  maxSingleTransfer: bigint | null;
  maxDailySpend: bigint | null;
  /** The highest cap of one session, or amount of one purse. */
  maxSessionCap: bigint | null;
  escalationThreshold: bigint | null;
  /** Base58 addresses. */
  allowedCounterparties: string[] | null;
  categories: string[] | null;
  requireMemo: boolean;
  paused: boolean;
  /** By the chain's clock. */
  updatedAt: Date;
}

/** The fields of a policy to change; a field that is not named stays. */
export type PolicyChange = Partial<Omit<ChainPolicy, 'version' | 'updatedAt'>>;

/** An account whose policy is to be changed: where it is, who created it, and the version of the policy that was read. */
export interface PolicyTarget {
  address: string;
  creator: string;
  version: bigint;
}

/** The result of a policy change. A mismatch: the policy's version, or its operator, is not the one that was read. */
export type PolicyChangeOutcome = { kind: 'changed'; slot: number } | { kind: 'version_mismatch' };
