/** The audit log in words. */
import { formatUsdc } from './money';
import type { AuditEntry } from './types';

export const ACTIONS: Record<AuditEntry['action'], string> = {
  'account.created': 'Created the account',
  'account.changed': 'Changed the account',
  'account.closed': 'Closed the account',
  'account.swept': 'Swept the closed account',
  'authority_key.rotated': 'Rotated the authority key',
  'policy.changed': 'Changed the policy',
  'operator.created': 'Created the operator',
  'operator_key.rotated': 'Rotated the chain key',
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
  'transfer.approved': 'Approved a transfer',
  'transfer.denied': 'Denied a transfer',
  'session.approved': 'Approved a session',
  'session.denied': 'Denied a session',
  'top_up.approved': 'Approved a top-up',
  'top_up.denied': 'Denied a top-up',
  'purse.approved': 'Approved a purse',
  'purse.denied': 'Denied a purse',
};

type Fields = Record<string, unknown> | null;

/** What changed, one text for each field: `name: a → b`. Fields that stayed are left out. */
export function changesInWords({ before, after }: { before: Fields; after: Fields }): string[] {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  return names.flatMap((name) => {
    const [old, next] = [before?.[name], after?.[name]];
    if (JSON.stringify(old) === JSON.stringify(next)) return [];
    const label = name.replaceAll('_', ' ');
    if (before === null) return isUnset(next) ? [] : [`${label}: ${inWords(name, next)}`];
    if (after === null) return isUnset(old) ? [] : [`${label}: ${inWords(name, old)}`];
    return [`${label}: ${inWords(name, old)} → ${inWords(name, next)}`];
  });
}

function isUnset(value: unknown): boolean {
  return value === null || value === undefined || (typeof value === 'object' && Object.keys(value).length === 0);
}

function inWords(name: string, value: unknown): string {
  if (isUnset(value)) return 'not set';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.join(', ');
  if (name === 'amount_usdc') return `${formatUsdc(String(value))} USDC`;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
