import type { Spending } from '#chain';
import { IsMetadata, IsNullable, IsOmittable, IsOneOf, IsText, Trimmed } from '../http/checks';
import { formatUsdc } from '../money/usdc';
import { pageQuery } from '../http/pages';
import type { PolicyFields } from '../policy';
import type { Account } from './account.entity';

export class CreateAccountDto {
  /** A label for people. Not unique. */
  @Trimmed()
  @IsText({ min: 1, max: 100 })
  name: string;

  /** Stored and returned, not interpreted. */
  @IsOmittable()
  @IsMetadata()
  metadata?: object;
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
}

export class ListAccountsQuery extends pageQuery({ of: 'acct' }) {
  @IsOmittable()
  @IsOneOf(['active', 'paused'])
  status?: 'active' | 'paused';

  /** Only accounts whose names begin with this, whatever the case. */
  @IsOmittable()
  @IsText({ min: 1, max: 100 })
  name?: string;
}

/** An account, as the API shows it. Amounts in USDC. */
export interface AccountView {
  account_id: string;
  name: string;
  handle: string;
  chain_address: string;
  usdc_token_account: string;
  balance_usdc: string;
  custody_mode: 'custodial';
  status: 'active' | 'paused' | 'closed';
  policy: PolicyFields;
  metadata: object;
  created_at: string;
  /** When the balance was read, only where the chain is unavailable now. */
  balance_as_of?: string;
}

export interface BalanceView {
  account_id: string;
  balance_usdc: string;
  last_updated: string;
}

export interface SpendingView {
  account_id: string;
  balance_usdc: string;
  limit_usdc: string | null;
  spent_usdc: string | null;
  reserved_usdc: string | null;
  remaining_usdc: string | null;
  releases: { at: string; amount_usdc: string }[];
  policy_version: number;
  /** The rules that an order is checked against. */
  policy: PolicyFields;
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
}

/** Balance and policy, read from the chain now or earlier. */
export interface Snapshot {
  balance: bigint;
  policy: PolicyFields;
  /** When they were read, where the chain is unavailable now. */
  asOf?: Date;
}

export function accountView(account: Account, { balance, policy, asOf }: Snapshot): AccountView {
  return {
    account_id: account.id,
    name: account.name,
    handle: account.handle,
    chain_address: account.chainAddress,
    usdc_token_account: account.usdcTokenAccount,
    balance_usdc: formatUsdc(balance),
    custody_mode: 'custodial',
    status: policy.paused ? 'paused' : 'active',
    policy,
    metadata: account.metadata,
    created_at: account.createdAt.toISOString(),
    ...(asOf && { balance_as_of: asOf.toISOString() }),
  };
}

export function spendingView(account: Account, spending: Spending, policy: PolicyFields): SpendingView {
  const { limit, remaining } = spending;
  const limited = (microUsdc: bigint | null) => (limit === null || microUsdc === null ? null : formatUsdc(microUsdc));
  return {
    account_id: account.id,
    balance_usdc: formatUsdc(spending.balance),
    limit_usdc: limited(limit),
    spent_usdc: limited(spending.spent),
    reserved_usdc: limited(spending.reserved),
    remaining_usdc: limited(remaining),
    releases: spending.releases.map(({ at, microUsdc }) => ({ at: at.toISOString(), amount_usdc: formatUsdc(microUsdc) })),
    policy_version: Number(spending.policyVersion),
    policy,
    as_of: spending.asOf.toISOString(),
  };
}
