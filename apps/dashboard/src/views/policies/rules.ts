/** The policy's rules in words, in the order in which the program checks them. The first violation declines. */
export const RULES: [string, string][] = [
  ['paused', 'The account is not paused'],
  ['valid_until', 'The policy has not ended'],
  ['max_single_transfer', 'Within the per-transfer limit'],
  ['allowed_counterparties', 'The recipient may be paid'],
  ['categories', 'The category is allowed'],
  ['require_memo', 'It has a memo where one is required'],
  ['max_daily_spend', 'Within the 24-hour limit'],
  ['max_monthly_spend', 'Within the 30-day limit'],
  ['max_lifetime_spend', 'Within the lifetime limit'],
  ['insufficient_balance', 'The balance suffices'],
];

const VIOLATIONS: Record<string, string> = {
  paused: 'The account is paused',
  valid_until: 'The policy has ended, or ends too soon',
  max_single_transfer: 'Above the per-transfer limit',
  max_session_cap: 'Above the limit of a session’s cap',
  allowed_counterparties: 'The recipient is not listed',
  categories: 'The category is not allowed',
  require_memo: 'A memo is missing',
  max_daily_spend: 'Above the 24-hour limit',
  max_monthly_spend: 'Above the 30-day limit',
  max_lifetime_spend: 'Above the lifetime limit',
  insufficient_balance: 'The balance does not suffice',
  escalation_threshold: 'It would need an approval',
  approval_above_daily_sum: 'It would need an approval',
  denied: 'Denied by an operator',
  approval_expired: 'The approval expired',
};

/** The reasons for which only payments are declined. */
const PAYMENT_VIOLATIONS: Record<string, string> = {
  max_amount: 'Above the request’s maximum amount',
  session_cap: 'Above what is left of the session’s cap',
  allowed_hosts: 'The host is not among those that may be paid',
  charge_with_listed_recipients: 'The account lists its recipients, and this API was to be paid by neither a session nor a direct transfer',
  recipient_mismatch: 'The payee is not the expected one',
  mint_mismatch: 'The provider asks for another token',
  network_mismatch: 'The provider asks for another network',
  challenge_expired: 'The provider’s challenge expired',
  challenge_invalid: 'The provider’s challenge is not valid',
  category_conflict: 'The categories contradict each other',
  unsupported_method: 'The provider takes no payment method of ours',
};

/** The sentence for a rejection reason. */
export function ruleInWords(reason: string): string {
  return VIOLATIONS[reason] ?? PAYMENT_VIOLATIONS[reason] ?? reason.replaceAll('_', ' ');
}

/** The options of a filter of transfers by the reason for which they were declined. */
export const TRANSFER_REASONS = Object.entries(VIOLATIONS);

/** The rules of payments. */
export const PAYMENT_REASONS = Object.entries({ ...VIOLATIONS, ...PAYMENT_VIOLATIONS });
