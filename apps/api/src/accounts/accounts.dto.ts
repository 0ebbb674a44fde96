import type { Spending } from '#chain';
import { Transform } from 'class-transformer';
import { Check, IsMetadata, IsNullable, IsOmittable, IsOneOf, IsText, IsTextList, itself, Trimmed } from '../http/validation/checks';
import type { FleetSpendingView } from '../fleets';
import { formatUsdc } from '../money/usdc';
import { pageQuery } from '../lists/pages';
import { periodView, type PeriodView, type PolicyFields } from '../policy';
import type { Account } from './account.entity';

const MAX_ID = 64;
/** The most labels of an account. */
export const MAX_LABELS = 16;

/** The form of a label. */
export const LABEL = {
  min: 1,
  max: 64,
  pattern: /^[a-z0-9][a-z0-9_.:-]{0,63}$/,
  patternMessage: 'must be 1 to 64 of a-z, 0-9, "_", ".", ":" and "-", beginning with a letter or digit',
};

/** A filter by labels: a parameter that may be repeated. */
export const IsLabelFilter = (): PropertyDecorator => (target, property) => {
  IsOmittable()(target, property);
  Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? [value] : value))(target, property);
  IsTextList({ min: 1, max: MAX_LABELS, item: LABEL })(target, property);
};

/** Labels as they are stored. */
export function sortedLabels(labels: readonly string[] | null | undefined): string[] {
  return (labels ?? []).toSorted();
}

export class CreateAccountDto {
  /** A label for people. Not unique. */
  @Trimmed()
  @IsText({ min: 1, max: 100 })
  name: string;

  /** Stored and returned, not interpreted. */
  @IsOmittable()
  @IsMetadata()
  metadata?: object;

  /** Words for filters and bulk jobs, at most 16. */
  @IsOmittable()
  @IsTextList({ max: MAX_LABELS, item: LABEL })
  labels?: string[];

  /** The fleet that it is created in, without a policy of its own. Omitted: none. */
  @IsOmittable()
  @IsText({ min: 1, max: MAX_ID })
  fleet_id?: string;
}

const isShortText = (value: unknown): boolean => typeof value === 'string' && value.length > 0 && value.length <= MAX_ID;

/** The fleet of an account. */
export class PutFleetDto {
  /** The fleet to join; null to leave the one that it is in. */
  @Check((value) => (value === null || isShortText(value) ? [] : [itself(`must be null, or 1 to ${MAX_ID} characters`)]), {
    type: ['string', 'null'],
    minLength: 1,
    maxLength: MAX_ID,
  })
  fleet_id: string | null;
}

/** The fields to change. Omitted fields stay. The handle never changes. */
export class ChangeAccountDto {
  /** A label for people. Not unique. */
  @IsOmittable()
  @Trimmed()
  @IsText({ min: 1, max: 100 })
  name?: string;

  /** Keys to set; a key with the value null is removed, the others stay. Null removes all. */
  @IsNullable()
  @IsMetadata()
  metadata?: Record<string, unknown> | null;

  /** Replaces the labels. Null and an empty list remove all. */
  @IsNullable()
  @IsTextList({ max: MAX_LABELS, item: LABEL })
  labels?: string[] | null;
}

export class ListAccountsQuery extends pageQuery({ of: 'acct' }) {
  @IsOmittable()
  @IsOneOf(['active', 'paused'])
  status?: 'active' | 'paused';

  /** Only accounts whose names begin with this, whatever the case. */
  @IsOmittable()
  @IsText({ min: 1, max: 100 })
  name?: string;

  /** Only accounts that are in this fleet. */
  @IsOmittable()
  @IsText({ min: 1, max: MAX_ID })
  fleet_id?: string;

  /** Only accounts that have this label. Given several times: all of them. */
  @IsLabelFilter()
  label?: string[];
}

/** An account, as the API shows it. Amounts in USDC. */
export interface AccountView {
  account_id: string;
  name: string;
  handle: string;
  chain_address: string;
  usdc_token_account: string;
  balance_usdc: string;
  /** The amount that its open sessions hold. Not part of the balance. */
  held_usdc: string;
  custody_mode: 'custodial';
  status: 'active' | 'paused' | 'closed';
  policy: PolicyFields;
  /** The fleet that it is in; null outside of a fleet. */
  fleet_id: string | null;
  metadata: object;
  /** Words for filters and bulk jobs, sorted. */
  labels: string[];
  created_at: string;
  /** When the balance was read, only where the chain is unavailable now. */
  balance_as_of?: string;
}

export interface BalanceView {
  account_id: string;
  balance_usdc: string;
  /** The amount that its open sessions hold. Not part of the balance. */
  held_usdc: string;
  last_updated: string;
}

export interface SpendingView {
  account_id: string;
  balance_usdc: string;
  /** The amount that its open sessions hold. Not part of the balance. */
  held_usdc: string;
  limit_usdc: string | null;
  spent_usdc: string | null;
  reserved_usdc: string | null;
  remaining_usdc: string | null;
  releases: { at: string; amount_usdc: string }[];
  /** In any 30 days, by days of the chain's clock. */
  monthly: PeriodView;
  /** Since the account was created. */
  lifetime: PeriodView;
  policy_version: number;
  /** The rules that an order is checked against. */
  policy: PolicyFields;
  /** The rest of the fleet's limits for all its members, and the fleet's policy. Absent outside of a fleet. */
  fleet?: FleetSpendingView;
  as_of: string;
}

/** The key of a request, and what it may use. */
export interface MeView {
  key_id: string;
  type: 'operator' | 'agent';
  name: string | null;
  expires_at: string | null;
  operator_id: string;
  /** The open accounts of an agent key; null for an operator key, which has all accounts. */
  accounts: { account_id: string; name: string; handle: string; chain_address: string; usdc_token_account: string }[] | null;
  /** The fleets of an agent key, whose members it may use; null for an operator key. */
  fleets: { fleet_id: string; name: string; members: number }[] | null;
}

/** Balance and policy, read from the chain now or earlier. */
export interface Snapshot {
  balance: bigint;
  /** The amount that its open sessions hold. */
  held: bigint;
  policy: PolicyFields;
  /** When they were read, where the chain is unavailable now. */
  asOf?: Date;
}

export function accountView(account: Account, { balance, held, policy, asOf }: Snapshot): AccountView {
  return {
    account_id: account.id,
    name: account.name,
    handle: account.handle,
    chain_address: account.chainAddress,
    usdc_token_account: account.usdcTokenAccount,
    balance_usdc: formatUsdc(balance),
    held_usdc: formatUsdc(held),
    custody_mode: 'custodial',
    status: policy.paused ? 'paused' : 'active',
    policy,
    fleet_id: account.fleetId,
    metadata: account.metadata,
    labels: account.labels,
    created_at: account.createdAt.toISOString(),
    ...(asOf && { balance_as_of: asOf.toISOString() }),
  };
}

/** A closed account, with its last policy. */
export function closedAccountView(account: Account): AccountView {
  return { ...accountView(account, { balance: 0n, held: 0n, policy: account.policy }), status: 'closed' };
}

export function spendingView(
  account: Account,
  spending: Spending,
  { policy, held, fleet }: Pick<Snapshot, 'policy' | 'held'> & { fleet: FleetSpendingView | undefined },
): SpendingView {
  const { limit, remaining } = spending;
  const limited = (microUsdc: bigint | null) => (limit === null || microUsdc === null ? null : formatUsdc(microUsdc));
  return {
    account_id: account.id,
    balance_usdc: formatUsdc(spending.balance),
    held_usdc: formatUsdc(held),
    limit_usdc: limited(limit),
    spent_usdc: limited(spending.spent),
    reserved_usdc: limited(spending.reserved),
    remaining_usdc: limited(remaining),
    releases: spending.releases.map(({ at, microUsdc }) => ({ at: at.toISOString(), amount_usdc: formatUsdc(microUsdc) })),
    monthly: periodView(spending.monthly, spending.reserved),
    lifetime: periodView(spending.lifetime, spending.reserved),
    policy_version: Number(spending.policyVersion),
    policy,
    ...(fleet && { fleet }),
    as_of: spending.asOf.toISOString(),
  };
}
