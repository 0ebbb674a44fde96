/** Policy violations: from the program's numbers to sentences. */
import type { Violation, Rule } from '#chain';
import type { DeclineFacts } from '../../accounts';
import { formatUsdc } from '../../money/usdc';
import type { StoredViolation, Order } from '../order.entity';

/** A rule of the program, or what it means for an order whose destination the program cannot bind. */
export type OrderRule = Rule | 'charge_with_listed_recipients';

const WORDS: Record<OrderRule, (numbers: Record<'attempted' | 'limit' | 'remaining', string>) => string> = {
  paused: () => 'The account is paused: it pays nothing until an operator resumes it.',
  valid_until: () => 'The policy is no longer valid, or ends before what was asked for would: see valid_until.',
  max_single_transfer: ({ attempted, limit }) => `${attempted} USDC is above max_single_transfer, ${limit} USDC.`,
  max_session_cap: ({ attempted, limit }) => `A cap of ${attempted} USDC is above max_session_cap, ${limit} USDC.`,
  allowed_counterparties: () => 'The recipient is not among allowed_counterparties.',
  charge_with_listed_recipients: () =>
    'This account lists its recipients, so that it pays APIs only through sessions and by direct transfers of x402: add open_session, or session_id ' +
    'of an open session.',
  categories: () => 'The category is missing or not among the categories that the policy allows.',
  require_memo: () => 'The policy requires a memo.',
  max_daily_spend: ({ attempted, limit, remaining }) =>
    `${attempted} USDC does not fit into max_daily_spend, ${limit} USDC in any 24 hours: ${remaining} USDC remain.`,
  max_monthly_spend: ({ attempted, limit, remaining }) =>
    `${attempted} USDC does not fit into max_monthly_spend, ${limit} USDC in any 30 days: ${remaining} USDC remain.`,
  max_lifetime_spend: ({ attempted, limit, remaining }) =>
    `${attempted} USDC does not fit into max_lifetime_spend, ${limit} USDC ever: ${remaining} USDC remain.`,
  insufficient_balance: ({ attempted, remaining }) => `The account holds ${remaining} USDC, less than ${attempted} USDC.`,
  escalation_threshold: ({ attempted, limit }) =>
    `${attempted} USDC reaches escalation_threshold, ${limit} USDC, and no operator has approved it.`,
  approval_above_daily_sum: ({ attempted, limit }) =>
    `With ${attempted} USDC more, what is spent in 24 hours is above approval_above_daily_sum, ${limit} USDC, and no operator has approved it.`,
};

/** A sentence about an account's policy, for a rule of its fleet. */
function inScope(words: string, scope: 'fleet' | 'fleet_limits'): string {
  if (words.startsWith('The account is paused')) return 'The fleet is paused: its accounts pay nothing until an operator resumes it.';
  const whose = scope === 'fleet' ? 'This is a rule of the account’s fleet.' : 'This limit is that of all accounts of the fleet together.';
  return `${words} ${whose}`;
}

/** The rules against which reserved amounts count. */
const SPEND_LIMITS: readonly OrderRule[] = ['max_daily_spend', 'max_monthly_spend', 'max_lifetime_spend'];

/** The facts of an order that describe a violation. The kind is absent for a payment inside a session. */
export type Violated = Pick<Order, 'microUsdc'> & Partial<Pick<Order, 'kind'>>;

/** The chain cannot bind the destination of a charge or a purse: it refuses both while the policy lists counterparties, also for a listed payee. */
function ruleOf({ rule }: Violation, { kind }: Violated): OrderRule {
  const isUnbound = kind === 'charge' || kind === 'purse' || kind === 'channel_purse';
  return isUnbound && rule === 'allowed_counterparties' ? 'charge_with_listed_recipients' : rule;
}

/**
 * A violation as it is stored and shown. A number that makes no sense for the rule is absent.
 */
export function storeViolation(violation: Violation, order: Violated, { allowed, fleetId }: DeclineFacts = {}): StoredViolation {
  const rule = ruleOf(violation, order);
  const { limit, remaining, reserved, availableAt, policyVersion } = violation;
  const attempted = formatUsdc(violation.attempted ?? order.microUsdc);
  const usdc = (microUsdc: bigint | undefined) => (microUsdc === undefined ? 'an unknown amount of' : formatUsdc(microUsdc));
  const words = WORDS[rule]({ attempted, limit: usdc(limit), remaining: usdc(remaining) });
  const message = violation.scope ? inScope(words, violation.scope) : words;
  return {
    rule,
    scope: violation.scope ?? 'account',
    ...(fleetId !== undefined && { fleet_id: fleetId }),
    message: availableAt ? `${message} It fits from ${availableAt.toISOString()} on.` : message,
    ...(limit !== undefined && { limit_usdc: formatUsdc(limit) }),
    attempted_usdc: attempted,
    ...(remaining !== undefined && { remaining_usdc: formatUsdc(remaining) }),
    ...(reserved !== undefined && SPEND_LIMITS.includes(rule) && { reserved_usdc: formatUsdc(reserved) }),
    ...(availableAt && { available_at: availableAt.toISOString() }),
    ...(allowed && { allowed }),
    ...(policyVersion !== undefined && { version: Number(policyVersion) }),
  };
}

/** The numbers of a violation, without the sentence. */
export function policyMember({ message: _message, ...policy }: StoredViolation): Omit<StoredViolation, 'message'> {
  return policy;
}
