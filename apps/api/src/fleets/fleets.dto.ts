import type { FleetLimits, FleetSpending } from '#chain';
import { IsMetadata, IsNested, IsNullable, IsOmittable, IsText, IsUsdcLimit, Trimmed } from '../http/validation/checks';
import { pageQuery } from '../lists/pages';
import { formatUsdc, limitToMicroUsdc, microUsdcToLimit } from '../money/usdc';
import { periodView, type PeriodView, type PolicyFields, UpdateFleetPolicyDto } from '../policy';
import type { Fleet, LimitsFields } from './fleet.entity';

/** The limits of a fleet to change. Omitted ones stay, and null removes one. In USDC. */
export class UpdateLimitsDto {
  /** Most USDC of all members together in any 24 hours. */
  @IsNullable()
  @IsUsdcLimit()
  max_daily_spend?: number | null;

  /** Most USDC of all members together in any 30 days. */
  @IsNullable()
  @IsUsdcLimit()
  max_monthly_spend?: number | null;

  /** Most USDC of all members together since the fleet was created. */
  @IsNullable()
  @IsUsdcLimit()
  max_lifetime_spend?: number | null;
}

export class CreateFleetDto {
  /** A label for people. Not unique. */
  @Trimmed()
  @IsText({ min: 1, max: 100 })
  name: string;

  /** The policy that binds each member by itself. */
  @IsOmittable()
  @IsNested(() => UpdateFleetPolicyDto)
  policy?: UpdateFleetPolicyDto;

  /** The sums that all members together must not exceed. */
  @IsOmittable()
  @IsNested(() => UpdateLimitsDto)
  limits?: UpdateLimitsDto;

  /** Stored and returned, not interpreted. */
  @IsOmittable()
  @IsMetadata()
  metadata?: object;
}

/** The fields to change. Omitted fields stay. */
export class ChangeFleetDto {
  /** A label for people. Not unique. */
  @IsOmittable()
  @Trimmed()
  @IsText({ min: 1, max: 100 })
  name?: string;

  /** Keys to set; a key with the value null is removed, the others stay. Null removes all. */
  @IsNullable()
  @IsMetadata()
  metadata?: Record<string, unknown> | null;
}

export class ListFleetsQuery extends pageQuery({ of: 'flt' }) {}

/** The limits with their version. */
export interface LimitsView extends LimitsFields {
  fleet_id: string;
  version: number;
}

/** The policy of a fleet, as the API shows it. */
export interface FleetPolicyView extends PolicyFields {
  fleet_id: string;
  version: number;
  updated_at: string;
}

/** The answer to a dry run of a change of a fleet's policy. */
export interface FleetPolicyDryRunView {
  dry_run: true;
  /** The policy as it would be. Its version and time are the present ones. */
  policy: FleetPolicyView;
  /** One sentence for each field that changes. */
  changes: string[];
}

/** The answer to a dry run of a change of limits. */
export interface LimitsDryRunView {
  dry_run: true;
  /** The limits as they would be. The version is the present one. */
  limits: LimitsView;
  /** One sentence for each limit that changes. */
  changes: string[];
}

/** A fleet, as the API shows it. Amounts are those of 24 hours, in USDC. */
export interface FleetView {
  fleet_id: string;
  name: string;
  chain_address: string;
  status: 'active' | 'paused' | 'closed';
  policy: PolicyFields;
  limits: LimitsFields;
  members: number;
  spent_usdc: string;
  reserved_usdc: string;
  /** The rest of the limits for all members together; null without a limit. */
  available_usdc: string | null;
  /** The key that pauses it and adds accounts without its operator; null for none. */
  guardian: string | null;
  metadata: object;
  created_at: string;
}

/** A paused fleet, with what is still to be ended. */
export interface PausedFleetView extends FleetView {
  /** How many purses of the members are open, of either kind. */
  open_purses: number;
  /** The job that ends them; null without any. */
  job_id: string | null;
}

/** The fleet of a member, in its account's policy. */
export interface MembershipView {
  fleet_id: string;
  policy: PolicyFields;
  limits: LimitsFields;
}

export interface FleetSpendingView {
  fleet_id: string;
  limit_usdc: string | null;
  spent_usdc: string | null;
  reserved_usdc: string | null;
  remaining_usdc: string | null;
  releases: { at: string; amount_usdc: string }[];
  /** In any 30 days, by days of the chain's clock. */
  monthly: PeriodView;
  /** Since the fleet was created. */
  lifetime: PeriodView;
  limits_version: number;
  /** The fleet's policy, which binds each member by itself. */
  policy: PolicyFields;
  as_of: string;
}

export function limitsFields({ maxDailySpend, maxMonthlySpend, maxLifetimeSpend }: FleetLimits): LimitsFields {
  const limit = (microUsdc: bigint | null) => (microUsdc === null ? null : microUsdcToLimit(microUsdc));
  return {
    max_daily_spend: limit(maxDailySpend),
    max_monthly_spend: limit(maxMonthlySpend),
    max_lifetime_spend: limit(maxLifetimeSpend),
  };
}

/** Converts the named limits to those of the chain. */
export function toLimitsChange(wanted: UpdateLimitsDto): Partial<FleetLimits> {
  const limit = (value: number | null | undefined) => (value === null || value === undefined ? value : limitToMicroUsdc(value));
  const [daily, monthly, lifetime] = [wanted.max_daily_spend, wanted.max_monthly_spend, wanted.max_lifetime_spend].map(limit);
  return {
    ...(daily !== undefined && { maxDailySpend: daily }),
    ...(monthly !== undefined && { maxMonthlySpend: monthly }),
    ...(lifetime !== undefined && { maxLifetimeSpend: lifetime }),
  };
}

/** Limits with the named ones changed. */
export function changedLimits(before: LimitsFields, wanted: UpdateLimitsDto): LimitsFields {
  const named = Object.entries(wanted).filter(([, value]) => value !== undefined);
  return { ...before, ...Object.fromEntries(named) };
}

/** The changes from one set of limits to another, one sentence each. */
export function limitsChanges(before: LimitsFields, after: LimitsFields): string[] {
  const usdc = (limit: number | null): string => (limit === null ? 'none' : `${limit} USDC`);
  const names = { max_daily_spend: 'in any 24 hours', max_monthly_spend: 'in any 30 days', max_lifetime_spend: 'ever' } as const;
  return (Object.keys(names) as (keyof LimitsFields)[])
    .filter((name) => before[name] !== after[name])
    .map((name) => `The limit of all members together ${names[name]} changes from ${usdc(before[name])} to ${usdc(after[name])}.`);
}

export function fleetView(fleet: Fleet, spending: FleetSpending | null): FleetView {
  const { id, name, chainAddress, state, paused, policy, limits, members, guardian, metadata, createdAt } = fleet;
  return {
    fleet_id: id,
    name,
    chain_address: chainAddress,
    status: state === 'closed' ? 'closed' : paused ? 'paused' : 'active',
    policy,
    limits,
    members,
    spent_usdc: formatUsdc(spending?.spent ?? 0n),
    reserved_usdc: formatUsdc(spending?.reserved ?? 0n),
    available_usdc: spending && availableIn(spending),
    guardian,
    metadata,
    created_at: createdAt.toISOString(),
  };
}

/** The least that any of the three limits leaves; null without a limit. */
function availableIn({ reserved, ...spending }: FleetSpending): string | null {
  const daily = { limit: spending.limit, spent: spending.spent };
  const left = [daily, spending.monthly, spending.lifetime].flatMap(({ limit, spent }) =>
    limit === null ? [] : [limit > spent + reserved ? limit - spent - reserved : 0n],
  );
  return left.length === 0 ? null : formatUsdc(left.reduce((least, each) => (each < least ? each : least)));
}

export function fleetSpendingView({ id, policy }: Fleet, spending: FleetSpending): FleetSpendingView {
  const { limit, remaining, reserved } = spending;
  const limited = (microUsdc: bigint | null) => (limit === null || microUsdc === null ? null : formatUsdc(microUsdc));
  return {
    fleet_id: id,
    limit_usdc: limited(limit),
    spent_usdc: limited(spending.spent),
    reserved_usdc: limited(reserved),
    remaining_usdc: limited(remaining),
    releases: spending.releases.map(({ at, microUsdc }) => ({ at: at.toISOString(), amount_usdc: formatUsdc(microUsdc) })),
    monthly: periodView(spending.monthly, reserved),
    lifetime: periodView(spending.lifetime, reserved),
    limits_version: Number(spending.limitsVersion),
    policy,
    as_of: spending.asOf.toISOString(),
  };
}
