/** The rules of a policy, named as the API names them, in the order in which the program checks them. */
export const RULES = [
  'paused',
  'valid_until',
  'max_single_transfer',
  'max_session_cap',
  'allowed_counterparties',
  'categories',
  'require_memo',
  'max_daily_spend',
  'max_monthly_spend',
  'max_lifetime_spend',
  'insufficient_balance',
  'escalation_threshold',
  'approval_above_daily_sum',
] as const;
export type Rule = (typeof RULES)[number];

/** Whether an order that violates this rule passes once an operator has approved it. */
export const asksForApproval = (rule: Rule): boolean => rule === 'escalation_threshold' || rule === 'approval_above_daily_sum';

/** A policy violation: the rule that failed, and the numbers that the program compared, if they apply. Money in micro-USDC. */
export interface Violation {
  rule: Rule;
  /** The scope of the rule: the policy of the account's fleet, or the limits of the fleet; absent for the account's own policy. */
  scope?: 'fleet' | 'fleet_limits';
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
  /** In 30 days, and since the account was created. */
  maxMonthlySpend: bigint | null;
  maxLifetimeSpend: bigint | null;
  /** The highest cap of one session, or amount of one purse. */
  maxSessionCap: bigint | null;
  escalationThreshold: bigint | null;
  /** The sum that may leave in 24 hours, reserved amounts included, before the operator must sign. */
  approvalAboveDailySum: bigint | null;
  /** Nothing is spent from then on; whole seconds by the chain's clock. */
  validUntil: Date | null;
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

/** An account or a fleet whose policy is to be changed: where it is, who created it, and the version of the policy that was read. */
export interface PolicyTarget {
  address: string;
  /** The fleet of a member. */
  fleet?: string;
  creator: string;
  version: bigint;
}

/** The result of a policy change. A mismatch: the policy's version, or its operator, is not the one that was read. */
export type PolicyChangeOutcome = { kind: 'changed'; slot: number } | { kind: 'version_mismatch' };
