/** The policy's rules in words, in the order in which the program checks them. The first violation declines. */
export const RULES: [string, string][] = [
  ['paused', 'The account is not paused'],
  ['max_single_transfer', 'Within the limit of one transfer'],
  ['allowed_counterparties', 'The recipient may be paid'],
  ['categories', 'The category is allowed'],
  ['require_memo', 'It has a memo where one is needed'],
  ['max_daily_spend', 'Within the limit of 24 hours'],
  ['insufficient_balance', 'The balance suffices'],
];

const VIOLATIONS: Record<string, string> = {
  paused: 'The account is paused',
  max_single_transfer: 'Above the limit of one transfer',
  max_session_cap: 'Above the limit of a session’s cap',
  allowed_counterparties: 'The recipient is not listed',
  categories: 'The category is not allowed',
  require_memo: 'A memo is missing',
  max_daily_spend: 'Above the limit of 24 hours',
  insufficient_balance: 'The balance does not suffice',
  escalation_threshold: 'It would need an approval',
  denied: 'Denied by an operator',
  approval_expired: 'The approval expired',
};

/** The sentence for a rejection reason. */
export function ruleInWords(reason: string): string {
  return VIOLATIONS[reason] ?? reason.replaceAll('_', ' ');
}
