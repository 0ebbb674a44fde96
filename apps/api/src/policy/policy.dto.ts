import type { ChainPolicy } from '#chain';
import { IsFlag, IsNullable, IsOmittable, IsTextList, IsUsdcLimit, IsWholeSecond } from '../http/validation/checks';
import { microUsdcToLimit } from '../money/usdc';

/** The most entries of each list that the program accepts. */
export const MAX_COUNTERPARTIES = 128;
export const MAX_FLEET_COUNTERPARTIES = 1_024;
export const MAX_CATEGORIES = 32;

/** The form of a category's name, which must fit 32 bytes on chain. */
export const CATEGORY = {
  min: 1,
  max: 32,
  pattern: /^[a-z0-9][a-z0-9_-]{0,31}$/,
  patternMessage: 'must be 1 to 32 of a-z, 0-9, "_" and "-", beginning with a letter or digit',
};

/** The limits that an answer shows also where they are not set, as null, and their names on chain. */
export const SHOWN_LIMITS = {
  max_single_transfer: 'maxSingleTransfer',
  max_daily_spend: 'maxDailySpend',
  escalation_threshold: 'escalationThreshold',
} as const;

/** The limits that are absent from an answer where they are not set. */
export const OPTIONAL_LIMITS = {
  max_session_cap: 'maxSessionCap',
  max_monthly_spend: 'maxMonthlySpend',
  max_lifetime_spend: 'maxLifetimeSpend',
  approval_above_daily_sum: 'approvalAboveDailySum',
} as const;

/** The fields that accounts and fleets have alike. */
abstract class UpdateSharedFields {
  /** Most USDC in one transfer or charge. */
  @IsNullable()
  @IsUsdcLimit()
  max_single_transfer?: number | null;

  /** Most USDC in any 24 hours. */
  @IsNullable()
  @IsUsdcLimit()
  max_daily_spend?: number | null;

  /** Most USDC of one session's cap, or of one purse. Without it a session may hold as much as the daily limit. */
  @IsNullable()
  @IsUsdcLimit()
  max_session_cap?: number | null;

  /** Most USDC in any 30 days, by days of the chain's clock: released between 30 and 31 days after it left. */
  @IsNullable()
  @IsUsdcLimit()
  max_monthly_spend?: number | null;

  /** Most USDC ever. */
  @IsNullable()
  @IsUsdcLimit()
  max_lifetime_spend?: number | null;

  /** Nothing new is spent at this time of the chain's clock or later, in whole seconds. Settling and closing go on. */
  @IsNullable()
  @IsWholeSecond()
  valid_until?: string | null;

  /** Categories that may be paid. */
  @IsNullable()
  @IsTextList({ max: MAX_CATEGORIES, item: CATEGORY })
  categories?: string[] | null;

  /** Whether a transfer needs a memo. Payments, charges and purses have no memo of the caller's, and need none. */
  @IsOmittable()
  @IsFlag()
  require_memo?: boolean | null;

  /** The amount in USDC from which an operator must approve. */
  @IsNullable()
  @IsUsdcLimit()
  escalation_threshold?: number | null;

  /** An operator must approve what would raise the sum of 24 hours, with what is reserved, above this many USDC. */
  @IsNullable()
  @IsUsdcLimit()
  approval_above_daily_sum?: number | null;

  /** Whether all outgoing transfers are blocked. */
  @IsOmittable()
  @IsFlag()
  paused?: boolean | null;
}

/** The fields to change. Omitted fields stay, and null resets a field to its default. Limits in USDC. */
export class UpdatePolicyDto extends UpdateSharedFields {
  /** Addresses, or account ids of the same operator, that may be paid. */
  @IsNullable()
  @IsTextList({ max: MAX_COUNTERPARTIES, item: { min: 1, max: 64 } })
  allowed_counterparties?: string[] | null;
}

/** The fields to change of a fleet's policy, which may list more counterparties. */
export class UpdateFleetPolicyDto extends UpdateSharedFields {
  /** Addresses, or account ids of the same operator, that may be paid. */
  @IsNullable()
  @IsTextList({ max: MAX_FLEET_COUNTERPARTIES, item: { min: 1, max: 64 } })
  allowed_counterparties?: string[] | null;
}

/** A counterparty of a policy: its address, and how the operator named it. */
export interface GivenCounterparty {
  address: string;
  given: string;
}

/** A function from a policy's addresses, which the chain keeps in an order of its own, to what was given for them, in the order given. */
export function asGiven(counterparties: GivenCounterparty[]): (addresses: string[]) => string[] {
  const known = new Map(counterparties.map(({ address, given }, place) => [address, { given, place }]));
  const placeOf = (address: string) => known.get(address)?.place ?? counterparties.length;
  return (addresses) =>
    [...addresses].sort((one, other) => placeOf(one) - placeOf(other)).map((address) => known.get(address)?.given ?? address);
}

/** The policy in an account, as the API shows it. Limits in USDC; null means no limit. */
export interface PolicyFields {
  max_single_transfer: number | null;
  max_daily_spend: number | null;
  /** Absent where it is not set, as the next three. */
  max_session_cap?: number;
  max_monthly_spend?: number;
  max_lifetime_spend?: number;
  valid_until?: string;
  allowed_counterparties: string[] | null;
  categories: string[] | null;
  require_memo: boolean;
  escalation_threshold: number | null;
  /** Absent where it is not set. */
  approval_above_daily_sum?: number;
  paused: boolean;
}

/** The policy of a new account. */
export const DEFAULT_POLICY: PolicyFields = {
  max_single_transfer: null,
  max_daily_spend: null,
  allowed_counterparties: null,
  categories: null,
  require_memo: false,
  escalation_threshold: null,
  paused: false,
};

/** Converts a policy from the chain to the API's fields. `given` is what `asGiven` returns. */
export function policyFields(policy: ChainPolicy, given: (addresses: string[]) => string[]): PolicyFields {
  const limit = (microUsdc: bigint | null) => (microUsdc === null ? null : microUsdcToLimit(microUsdc));
  const optional = (name: keyof typeof OPTIONAL_LIMITS) => {
    const microUsdc = policy[OPTIONAL_LIMITS[name]];
    return microUsdc === null ? {} : { [name]: microUsdcToLimit(microUsdc) };
  };
  return {
    max_single_transfer: limit(policy.maxSingleTransfer),
    max_daily_spend: limit(policy.maxDailySpend),
    ...optional('max_session_cap'),
    ...optional('max_monthly_spend'),
    ...optional('max_lifetime_spend'),
    ...(policy.validUntil && { valid_until: policy.validUntil.toISOString() }),
    allowed_counterparties: policy.allowedCounterparties && given(policy.allowedCounterparties),
    categories: policy.categories,
    require_memo: policy.requireMemo,
    escalation_threshold: limit(policy.escalationThreshold),
    ...optional('approval_above_daily_sum'),
    paused: policy.paused,
  };
}
