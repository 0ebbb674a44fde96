import { policyChanges } from './policy-changes';
import { DEFAULT_POLICY, type PolicyFields } from './policy.dto';

const from = (before: Partial<PolicyFields>, after: Partial<PolicyFields>): string[] =>
  policyChanges({ ...DEFAULT_POLICY, ...before }, { ...DEFAULT_POLICY, ...after });

test.each<[string, Partial<PolicyFields>, Partial<PolicyFields>, string[]]>([
  ['no change', { max_daily_spend: 5 }, { max_daily_spend: 5 }, []],
  ['a limit set', {}, { max_daily_spend: 5.5 }, ['The limit in any 24 hours changes from none to 5.5 USDC.']],
  ['a limit lifted', { max_single_transfer: 1 }, {}, ['The limit of a single transfer changes from 1 USDC to none.']],
  ['a session limit set', {}, { max_session_cap: 2 }, ['The limit of a session’s cap changes from none to 2 USDC.']],
  ['a list set', {}, { categories: ['data'] }, ['Categories are restricted to data.']],
  ['an empty list set', {}, { allowed_counterparties: [] }, ['Counterparties are restricted to none: nothing can be paid.']],
  ['a list lifted', { categories: ['data'] }, {}, ['Categories are not restricted any more.']],
  ['entries added and removed', { categories: ['a', 'b'] }, { categories: ['b', 'c'] }, ['Categories added: c.', 'Categories removed: a.']],
  ['a pause', {}, { paused: true }, ['The account is paused: it pays nothing.']],
  ['a resumption and a memo', { paused: true }, { require_memo: true }, ['Transfers need a memo.', 'The account is resumed.']],
])('policyChanges describes %s', (_what, before, after, sentences) => {
  expect(from(before, after)).toEqual(sentences);
});
