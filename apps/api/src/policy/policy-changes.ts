/** A policy change in sentences, one a field that changes. */
import type { PolicyFields, UpdatePolicyDto } from './policy.dto';

const LIMITS = {
  max_single_transfer: 'The limit of a single transfer',
  max_daily_spend: 'The limit in any 24 hours',
  max_session_cap: 'The limit of a session’s cap',
  escalation_threshold: 'The amount from which an operator must approve',
} as const;
const LISTS = { allowed_counterparties: 'Counterparties', categories: 'Categories' } as const;

/** A policy with the named fields changed. Fields that are left out stay, and null puts one back to its default. */
export function changedPolicy(before: PolicyFields, wanted: UpdatePolicyDto): PolicyFields {
  const either = <T>(value: T | undefined, old: T): T => (value === undefined ? old : value);
  const maxSessionCap = either(wanted.max_session_cap, before.max_session_cap ?? null);
  return {
    max_single_transfer: either(wanted.max_single_transfer, before.max_single_transfer),
    max_daily_spend: either(wanted.max_daily_spend, before.max_daily_spend),
    ...(maxSessionCap !== null && { max_session_cap: maxSessionCap }),
    allowed_counterparties: either(wanted.allowed_counterparties, before.allowed_counterparties),
    categories: either(wanted.categories, before.categories),
    require_memo: either(wanted.require_memo, before.require_memo) ?? false,
    escalation_threshold: either(wanted.escalation_threshold, before.escalation_threshold),
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
  const memo = after.require_memo ? 'Transfers need a memo.' : 'Transfers need no memo any more.';
  const pause = after.paused ? 'The account is paused: it pays nothing.' : 'The account is resumed.';
  return [
    ...limits,
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
