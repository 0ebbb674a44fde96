/** The audit log in words. */
import { formatLimit, formatUsdc } from '../values/money';
import type { AuditEntry } from '../data/types';

export const ACTIONS: Record<AuditEntry['action'], string> = {
  'account.created': 'Created the account',
  'account.changed': 'Changed the account',
  'account.hosts_changed': 'Changed the hosts that the account may pay',
  'account.closed': 'Closed the account',
  'account.swept': 'Swept the closed account',
  'authority_key.rotated': 'Rotated the authority key',
  'account.fleet_changed': 'Changed the fleet of the account',
  'policy.changed': 'Changed the policy',
  'policy.ended': 'Ended the account’s own policy',
  'fleet.created': 'Created the fleet',
  'fleet.changed': 'Changed the fleet',
  'fleet.policy_changed': 'Changed the fleet’s policy',
  'fleet.limits_changed': 'Changed the fleet’s limits',
  'fleet.closed': 'Closed the fleet',
  'operator.created': 'Created the operator',
  'operator_key.rotated': 'Rotated the chain key',
  'operator_key.handed_over': 'Handed the accounts to a chain key of its own',
  'api_key.created': 'Created an API key',
  'api_key.revoked': 'Revoked an API key',
  'dashboard.signed_in': 'Signed in',
  'dashboard.signed_out': 'Signed out',
  'webhook.created': 'Created a webhook',
  'webhook.changed': 'Changed a webhook',
  'webhook.deleted': 'Deleted a webhook',
  'webhook.secret_rotated': 'Rotated a webhook’s secret',
  'provider.pinned': 'Pinned a provider',
  'provider.unpinned': 'Unpinned a provider',
  'catalogues.changed': 'Changed the catalogues of services',
  'transfer.approved': 'Approved a transfer',
  'transfer.denied': 'Denied a transfer',
  'session.approved': 'Approved a session',
  'session.denied': 'Denied a session',
  'top_up.approved': 'Approved a top-up',
  'top_up.denied': 'Denied a top-up',
  'purse.approved': 'Approved a purse',
  'purse.denied': 'Denied a purse',
  'accounts.bulk': 'Changed many accounts',
  'job.cancelled': 'Cancelled a job',
};

/** The fields whose names are not words of the page already. */
const LABELS: Record<string, string> = {
  max_single_transfer: 'Per-transfer limit',
  max_daily_spend: '24-hour limit',
  max_session_cap: 'Limit of a session’s cap',
  max_monthly_spend: '30-day limit',
  max_lifetime_spend: 'Lifetime limit',
  escalation_threshold: 'Approval at or above',
  approval_above_daily_sum: 'Approval above a daily sum of',
  valid_until: 'Ends',
  allowed_counterparties: 'Recipients',
  require_memo: 'Memo required',
  amount_usdc: 'Amount',
  account_id: 'From',
  account_ids: 'Accounts',
  expires_at: 'Expires',
  low_balance_threshold_usdc: 'Low balance below',
  url: 'URL',
};

function labelOf(name: string): string {
  const words = name.replaceAll('_', ' ');
  return LABELS[name] ?? words.charAt(0).toUpperCase() + words.slice(1);
}

type Fields = Record<string, unknown> | null;

/** The changes, one text for each field: `24-hour limit: 10, now 25`. Fields that stayed are left out. */
export function changesInWords({ before, after }: { before: Fields; after: Fields }, nameOf: (id: string) => string): string[] {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  return names.flatMap((name) => {
    const [old, next] = [before?.[name], after?.[name]];
    if (JSON.stringify(old) === JSON.stringify(next)) return [];
    const label = labelOf(name);
    const inWords = (value: unknown): string => valueInWords(name, value, nameOf);
    if (before === null) return isUnset(next) ? [] : [`${label}: ${inWords(next)}`];
    if (after === null) return isUnset(old) ? [] : [`${label}: ${inWords(old)}`];
    return [`${label}: ${inWords(old)}, now ${inWords(next)}`];
  });
}

function isUnset(value: unknown): boolean {
  return value === null || value === undefined || (typeof value === 'object' && Object.keys(value).length === 0);
}

function valueInWords(name: string, value: unknown, nameOf: (id: string) => string): string {
  if (isUnset(value)) return 'not set';
  if (typeof value === 'number') return formatLimit(value.toFixed(6));
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.map((each) => nameOf(String(each))).join(', ');
  if (name === 'amount_usdc') return `${formatUsdc(String(value))} USDC`;
  if (typeof value !== 'object' || value === null) return nameOf(String(value));
  const members = Object.entries(value).map(([member, inner]) => `${labelOf(member)} ${valueInWords(member, inner, nameOf)}`);
  return members.join(', ');
}
