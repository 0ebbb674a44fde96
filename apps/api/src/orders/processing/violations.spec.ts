import type { Rule, Violation } from '#chain';
import { policyMember, storeViolation } from './violations';

const order = { microUsdc: 7_500_000n };
const numbers = { limit: 5_000_000n, attempted: 6_000_000n, remaining: 1_000_000n };

const SENTENCES: Record<Rule, string> = {
  paused: 'The account is paused: it pays nothing until an operator resumes it.',
  valid_until: 'The policy is no longer valid, or ends before what was asked for would: see valid_until.',
  max_single_transfer: '6.000000 USDC is above max_single_transfer, 5.000000 USDC.',
  max_session_cap: 'A cap of 6.000000 USDC is above max_session_cap, 5.000000 USDC.',
  allowed_counterparties: 'The recipient is not among allowed_counterparties.',
  categories: 'The category is missing or not among the categories that the policy allows.',
  require_memo: 'The policy requires a memo.',
  max_daily_spend: '6.000000 USDC does not fit into max_daily_spend, 5.000000 USDC in any 24 hours: 1.000000 USDC remain.',
  max_monthly_spend: '6.000000 USDC does not fit into max_monthly_spend, 5.000000 USDC in any 30 days: 1.000000 USDC remain.',
  max_lifetime_spend: '6.000000 USDC does not fit into max_lifetime_spend, 5.000000 USDC ever: 1.000000 USDC remain.',
  insufficient_balance: 'The account holds 1.000000 USDC, less than 6.000000 USDC.',
  escalation_threshold: '6.000000 USDC reaches escalation_threshold, 5.000000 USDC, and no operator has approved it.',
  approval_above_daily_sum:
    'With 6.000000 USDC more, what is spent in 24 hours is above approval_above_daily_sum, 5.000000 USDC, and no operator has approved it.',
};

test.each(Object.entries(SENTENCES) as [Rule, string][])(
  'a violation of %s is explained in a sentence with its numbers',
  (rule, message) => {
    expect(storeViolation({ rule, ...numbers }, order)).toMatchObject({ rule, message });
  },
);

test.each(['charge', 'purse'] as const)('a %s of an account that lists counterparties violates a rule of its own', (kind) => {
  const { rule, message } = storeViolation({ rule: 'allowed_counterparties' }, { ...order, kind });
  expect(rule).toBe('charge_with_listed_recipients');
  expect(message).toContain('only through sessions and by direct transfers');
});

test('a violation shows the numbers that the program compared, in USDC with six decimals', () => {
  const violation: Violation = {
    rule: 'max_daily_spend',
    ...numbers,
    reserved: 1n,
    availableAt: new Date('2026-03-01T00:15:00Z'),
    policyVersion: 12n,
  };
  expect(policyMember(storeViolation(violation, order))).toEqual({
    rule: 'max_daily_spend',
    scope: 'account',
    limit_usdc: '5.000000',
    attempted_usdc: '6.000000',
    remaining_usdc: '1.000000',
    reserved_usdc: '0.000001',
    available_at: '2026-03-01T00:15:00.000Z',
    version: 12,
  });
});

test('a violation without numbers shows the amount of its order and nothing else', () => {
  expect(policyMember(storeViolation({ rule: 'paused' }, order))).toEqual({ rule: 'paused', scope: 'account', attempted_usdc: '7.500000' });
});

test('a violation with numbers that are zero shows them', () => {
  const violation: Violation = { rule: 'max_daily_spend', limit: 0n, attempted: 0n, remaining: 0n, reserved: 0n, policyVersion: 0n };
  expect(policyMember(storeViolation(violation, order))).toEqual({
    rule: 'max_daily_spend',
    scope: 'account',
    limit_usdc: '0.000000',
    attempted_usdc: '0.000000',
    remaining_usdc: '0.000000',
    reserved_usdc: '0.000000',
    version: 0,
  });
});

test('a violation of a list shows what the list allows', () => {
  expect(policyMember(storeViolation({ rule: 'categories' }, order, { allowed: ['data', 'search'] }))).toEqual({
    rule: 'categories',
    scope: 'account',
    attempted_usdc: '7.500000',
    allowed: ['data', 'search'],
  });
  expect(storeViolation({ rule: 'allowed_counterparties' }, order, { allowed: [] }).allowed).toEqual([]);
});

test('a violation says in its sentence from when on the amount fits', () => {
  const { message } = storeViolation({ rule: 'max_daily_spend', ...numbers, availableAt: new Date('2026-03-01T00:15:00Z') }, order);
  expect(message).toBe(`${SENTENCES.max_daily_spend} It fits from 2026-03-01T00:15:00.000Z on.`);
});

test('a violation whose limit is missing says that the limit is unknown', () => {
  expect(storeViolation({ rule: 'max_single_transfer' }, order).message).toBe(
    '7.500000 USDC is above max_single_transfer, an unknown amount of USDC.',
  );
});

const SPEND_LIMITS: Rule[] = ['max_daily_spend', 'max_monthly_spend', 'max_lifetime_spend'];

test.each((Object.keys(SENTENCES) as Rule[]).filter((rule) => !SPEND_LIMITS.includes(rule)))(
  'a violation of %s does not show the reserved amount, which is no part of the rule',
  (rule) => {
    expect(storeViolation({ rule, reserved: 1n }, order)).not.toHaveProperty('reserved_usdc');
  },
);
