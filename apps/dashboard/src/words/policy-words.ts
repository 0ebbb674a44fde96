/** Describes the effect of a policy change in sentences, before it is saved. */
import { formatLimit, toMicro } from '../values/money';
import type { PolicyFields } from '../data/types';

/** The names that the sentences refer to. */
export interface PolicyContext {
  /** The name of a counterparty. */
  nameOf: (counterparty: string) => string;
  /** The amount that counts against the rolling limit now, if it is known. */
  used?: string | null;
}

/** The fields of `next` that differ from `old`, as the body of the change. */
export function changedFields(old: PolicyFields, next: PolicyFields): Partial<PolicyFields> {
  const names = [...new Set([...Object.keys(old), ...Object.keys(next)])] as (keyof PolicyFields)[];
  return Object.fromEntries(names.filter((name) => !same(old[name], next[name])).map((name) => [name, next[name]]));
}

/** One or two sentences for each changed field, and a warning if fields contradict each other. */
export function changeInWords(old: PolicyFields, next: PolicyFields, context: PolicyContext): string[] {
  const changed = changedFields(old, next);
  const sentences: string[] = [];
  if ('paused' in changed)
    sentences.push(
      next.paused
        ? 'All outgoing transfers will be blocked at once, and open sessions pay nothing more.'
        : 'Outgoing transfers will be possible again, within the other rules.',
    );
  if ('max_single_transfer' in changed) sentences.push(singleTransfer(old.max_single_transfer, next.max_single_transfer));
  if ('max_daily_spend' in changed) sentences.push(...dailySpend(old.max_daily_spend, next.max_daily_spend, context.used));
  if ('max_monthly_spend' in changed) sentences.push(sumOf('leaves within 30 days', old.max_monthly_spend, next.max_monthly_spend));
  if ('max_lifetime_spend' in changed) sentences.push(sumOf('ever leaves the account', old.max_lifetime_spend, next.max_lifetime_spend));
  if ('max_session_cap' in changed) sentences.push(sessionCap(old.max_session_cap ?? null, next.max_session_cap ?? null));
  if ('allowed_counterparties' in changed)
    sentences.push(...counterparties(old.allowed_counterparties, next.allowed_counterparties, context.nameOf));
  if ('categories' in changed) sentences.push(...categories(old.categories, next.categories));
  if ('require_memo' in changed)
    sentences.push(next.require_memo ? 'Transfers without a memo will be declined.' : 'Transfers will no longer need a memo.');
  if ('escalation_threshold' in changed) sentences.push(threshold(old.escalation_threshold, next.escalation_threshold));
  if ('approval_above_daily_sum' in changed) sentences.push(dailySum(next.approval_above_daily_sum ?? null));
  if ('valid_until' in changed) sentences.push(end(next.valid_until ?? null));
  const limitsChanged = 'max_single_transfer' in changed || 'escalation_threshold' in changed;
  if (limitsChanged && isBeyond(next))
    sentences.push(
      `No transfer will ever wait for approval, only sessions: ${usdc(next.escalation_threshold)} and more is above what one transfer may be.`,
    );
  return sentences;
}

function singleTransfer(old: number | null, limit: number | null): string {
  if (limit === null) return `A single transfer may be of any size; until now at most ${usdc(old)}.`;
  if (limit === 0) return 'Every transfer will be declined: the most that one may be is 0.';
  if (old === null) return `Transfers above ${usdc(limit)} will be declined.`;
  return limit < old
    ? `Transfers above ${usdc(limit)} will be declined; until now above ${usdc(old)}.`
    : `Transfers up to ${usdc(limit)} will be allowed; until now up to ${usdc(old)}.`;
}

function sessionCap(old: number | null, limit: number | null): string {
  if (limit === null) return `A session may hold as much as the 24-hour limit allows; until now at most ${usdc(old)}.`;
  if (limit === 0) return 'No session can be opened: the most that a session’s cap may be is 0.';
  return `Sessions with a cap above ${usdc(limit)} will be declined; until now ${old === null ? 'their cap had no limit of its own' : `above ${usdc(old)}`}.`;
}

function dailySpend(old: number | null, limit: number | null, used: string | null | undefined): string[] {
  if (limit === null) return [`There will be no limit on what leaves within 24 hours; until now ${usdc(old)}.`];
  const rule =
    limit === 0
      ? 'Nothing more may leave: the limit for any 24 hours is 0.'
      : `At most ${usdc(limit)} will leave in any 24 hours; until now ${old === null ? 'there was no limit' : usdc(old)}.`;
  if (limit === 0) return [rule];
  if (used === null || used === undefined) return old === null ? [rule, 'What was spent in the last 24 hours counts already.'] : [rule];
  const isUsedUp = toMicro(used) >= toMicro(text(limit));
  return [
    rule,
    `${formatLimit(used)} USDC of it ${isUsedUp ? 'are used already: nothing more can be spent until some of that is 24 hours old.' : 'are used already.'}`,
  ];
}

function counterparties(old: string[] | null, next: string[] | null, nameOf: (one: string) => string): string[] {
  if (next === null) return ['Any recipient may be paid.'];
  if (next.length === 0) return ['No recipient at all may be paid.'];
  const names = (list: string[]): string => list.map(nameOf).join(', ');
  if (old === null)
    return [
      `Only ${counted(next, 'recipient')} may be paid: ${names(next)}. Transfers to any other recipient will be declined.`,
      'Single payments to providers (charges) will be declined while recipients are listed; sessions go on.',
    ];
  const added = next.filter((one) => !old.includes(one));
  const removed = old.filter((one) => !next.includes(one));
  return [
    ...(added.length > 0 ? [`May be paid from now on: ${names(added)}.`] : []),
    ...(removed.length > 0 ? [`May be paid no longer: ${names(removed)}.`] : []),
  ];
}

function categories(old: string[] | null, next: string[] | null): string[] {
  if (next === null) return ['Spending of any category will be allowed, and of none.'];
  if (next.length === 0) return ['Every transfer will be declined: no category is allowed.'];
  if (old === null)
    return [
      `Only spending of ${counted(next, 'category')} will be allowed: ${next.join(', ')}. Transfers of another, or of none, will be declined.`,
    ];
  const added = next.filter((one) => !old.includes(one));
  const removed = old.filter((one) => !next.includes(one));
  return [
    ...(added.length > 0 ? [`Allowed from now on: ${added.join(', ')}.`] : []),
    ...(removed.length > 0 ? [`Declined from now on: ${removed.join(', ')}.`] : []),
  ];
}

function threshold(old: number | null, limit: number | null): string {
  if (limit === null) return `Nothing will wait for approval; until now those of ${usdc(old)} and more.`;
  if (limit === 0) return 'Every transfer and session will wait for your approval.';
  const before = old === null ? 'none did' : old === 0 ? 'every one did' : `those of ${usdc(old)} and more`;
  return `Transfers and sessions of ${usdc(limit)} and more will wait for your approval; until now ${before}.`;
}

function sumOf(what: string, old: number | null | undefined, limit: number | null | undefined): string {
  if (limit === null || limit === undefined) return `There will be no limit on what ${what}; until now ${usdc(old ?? null)}.`;
  if (limit === 0) return `Nothing more may leave: the limit on what ${what} is 0.`;
  return `At most ${usdc(limit)} of what ${what} will be allowed; what has left already counts.`;
}

function dailySum(limit: number | null): string {
  if (limit === null) return 'What leaves within 24 hours will need no approval for its sum.';
  return `What would raise the sum of 24 hours above ${usdc(limit)} will wait for your approval.`;
}

function end(validUntil: string | null): string {
  if (validUntil === null) return 'The policy will have no end.';
  return `Nothing new will be spent from ${validUntil} on: open sessions and purses pay nothing more. What was paid is settled.`;
}

function isBeyond({ max_single_transfer, escalation_threshold }: PolicyFields): boolean {
  return (
    max_single_transfer !== null && escalation_threshold !== null && max_single_transfer > 0 && escalation_threshold > max_single_transfer
  );
}

function counted(list: string[], noun: 'recipient' | 'category'): string {
  const plural = noun === 'category' ? 'categories' : 'recipients';
  return list.length === 1 ? `one ${noun}` : `${list.length} ${plural}`;
}

const usdc = (limit: number | null): string => `${formatLimit(text(limit ?? 0))} USDC`;

/** A limit has at most six decimals, so its shortest form is exact. */
const text = (limit: number): string => limit.toFixed(6);

/** Whether two values are equal. The order of lists does not matter. */
function same(one: PolicyFields[keyof PolicyFields], other: PolicyFields[keyof PolicyFields]): boolean {
  if (!Array.isArray(one) || !Array.isArray(other)) return (one ?? null) === (other ?? null);
  return one.length === other.length && one.every((item) => other.includes(item));
}
