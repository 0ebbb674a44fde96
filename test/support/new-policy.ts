/** The policy of a new account. */
export const NEW_POLICY = {
  max_single_transfer: null,
  max_daily_spend: null,
  allowed_counterparties: null,
  categories: null,
  require_memo: false,
  escalation_threshold: null,
  paused: false,
};
