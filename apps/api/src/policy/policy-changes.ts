/** A policy change in sentences, one a field that changes. */
import type { OPTIONAL_LIMITS, PolicyFields, UpdatePolicyDto } from './policy.dto';

const LIMITS = {
  max_single_transfer: 'The limit of a single transfer',
  max_daily_spend: 'The limit in any 24 hours',
  max_session_cap: 'The limit of a session’s cap',
  max_monthly_spend: 'The limit in any 30 days',
  max_lifetime_spend: 'The limit of all that is ever spent',
  escalation_threshold: 'The amount from which an operator must approve',
  approval_above_daily_sum: 'The sum of 24 hours above which an operator must approve',
} as const;
const LISTS = { allowed_counterparties: 'Counterparties', categories: 'Categories' } as const;

/** A policy with the named fields changed. Fields that are left out stay, and null puts one back to its default. */
export function changedPolicy(before: PolicyFields, wanted: UpdatePolicyDto): PolicyFields {
  const either = <T>(value: T | undefined, old: T): T => (value === undefined ? old : value);
  const optional = (name: keyof typeof OPTIONAL_LIMITS) => {
    const value = either(wanted[name], before[name] ?? null);
    return value === null ? {} : { [name]: value };
  };
  const validUntil = either(wanted.valid_until, before.valid_until ?? null);
  return {
    max_single_transfer: either(wanted.max_single_transfer, before.max_single_transfer),
    max_daily_spend: either(wanted.max_daily_spend, before.max_daily_spend),
    ...optional('max_session_cap'),
    ...optional('max_monthly_spend'),
    ...optional('max_lifetime_spend'),
    ...(validUntil !== null && { valid_until: new Date(validUntil).toISOString() }),
    allowed_counterparties: either(wanted.allowed_counterparties, before.allowed_counterparties),
    categories: either(wanted.categories, before.categories),
    require_memo: either(wanted.require_memo, before.require_memo) ?? false,
    escalation_threshold: either(wanted.escalation_threshold, before.escalation_threshold),
    ...optional('approval_above_daily_sum'),
    paused: either(wanted.paused, before.paused) ?? false,
  };
}

/** The changes from one policy to another. Empty if there are none. */
export function policyChanges(before: PolicyFields, after: PolicyFields): string[] {
  const limits = Object.entries(LIMITS).flatMap(([field, name]) => {
    const [old, next] = [before[field as keyof typeof LIMITS] ?? null, after[field as keyof typeof LIMITS] ?? null];
    return old === next ? [] : [`${name} changes from ${usdc(old)} to ${usdc(next)}.`];
  });
  const lists = Object.entries(LISTS).flatMap(([field, name]) =>
    listChanges(name, before[field as keyof typeof LISTS], after[field as keyof typeof LISTS]),
  );
  const end = after.valid_until === undefined ? 'The policy no longer ends.' : `Nothing is spent from ${after.valid_until} on.`;
  const memo = after.require_memo ? 'Transfers need a memo.' : 'Transfers need no memo any more.';
  const pause = after.paused ? 'The account is paused: it pays nothing.' : 'The account is resumed.';
  return [
    ...limits,
    ...(before.valid_until === after.valid_until ? [] : [end]),
    ...lists,
    ...(before.require_memo === after.require_memo ? [] : [memo]),
    ...(before.paused === after.paused ? [] : [pause]),
  ];
}

function listChanges(name: string, before: string[] | null, after: string[] | null): string[] {
  if (before === null && after === null) return [];
  if (after === null) return [`${name} are not restricted any more.`];
  if (before === null)
    return [after.length === 0 ? `${name} are restricted to none: nothing can be paid.` : `${name} are restricted to ${after.join(', ')}.`];
  const [added, removed] = [after.filter((each) => !before.includes(each)), before.filter((each) => !after.includes(each))];
  return [
    ...(added.length > 0 ? [`${name} added: ${added.join(', ')}.`] : []),
    ...(removed.length > 0 ? [`${name} removed: ${removed.join(', ')}.`] : []),
  ];
}

function usdc(limit: number | null): string {
  return limit === null ? 'none' : `${limit} USDC`;
}
