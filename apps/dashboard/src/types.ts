/** The responses of the API, as far as the page uses them. Amounts are decimal strings with six decimals. */

export interface Page<T> {
  data: T[];
  cursor: string | null;
  has_more: boolean;
}

export interface SignedIn {
  operator: { operator_id: string; name: string };
  key_id: string;
  expires_at: string;
  has_faucet: boolean;
}

export interface PolicyFields {
  max_single_transfer: number | null;
  max_daily_spend: number | null;
  /** Absent where it is not set. */
  max_session_cap?: number | null;
  allowed_counterparties: string[] | null;
  categories: string[] | null;
  require_memo: boolean;
  escalation_threshold: number | null;
  paused: boolean;
}

export interface Policy extends PolicyFields {
  account_id: string;
  version: number;
  updated_at: string;
}

export interface Account {
  account_id: string;
  name: string;
  handle: string;
  chain_address: string;
  usdc_token_account: string;
  balance_usdc: string;
  status: 'active' | 'paused' | 'closed';
  policy: PolicyFields;
  created_at: string;
  balance_as_of?: string;
}

export interface Spending {
  balance_usdc: string;
  limit_usdc: string | null;
  spent_usdc: string | null;
  reserved_usdc: string | null;
  remaining_usdc: string | null;
  releases: { at: string; amount_usdc: string }[];
  as_of: string;
}

export interface HistoryEntry {
  id: string;
  type: 'transfer' | 'session_settlement' | 'rejection' | 'deposit';
  status: 'settled' | 'rejected';
  amount_usdc: string;
  direction: 'in' | 'out';
  counterparty: string | null;
  memo: string | null;
  category: string | null;
  chain_explorer_url: string | null;
  rejection_reason: string | null;
  created_at: string;
  settled_at: string | null;
}

export interface Violation {
  rule: string;
  limit_usdc?: string;
  attempted_usdc?: string;
  remaining_usdc?: string;
  reserved_usdc?: string;
  available_at?: string;
  version?: number;
}

export interface Transfer {
  transfer_id: string;
  status: 'pending_approval' | 'submitted' | 'settled' | 'rejected' | 'failed';
  from: string;
  to: string;
  amount_usdc: string;
  memo?: string;
  category?: string;
  idempotency_key: string;
  tx_signature?: string;
  chain_explorer_url?: string;
  created_at: string;
  settled_at?: string;
  approval?: { expires_at: string };
  rejection_reason?: string;
  denial_reason?: string;
  policy?: Violation;
  failure_reason?: string;
}

export interface Approval {
  kind: 'transfer' | 'session' | 'top_up' | 'purse';
  id: string;
  account_id: string;
  to: string | null;
  provider: string | null;
  amount_usdc: string;
  memo: string | null;
  category: string | null;
  created_at: string;
  expires_at: string;
}

export interface Session {
  session_id: string;
  account_id: string;
  provider: string;
  payee: string;
  category: string | null;
  cap_usdc: string;
  running_total_usdc: string;
  settled_usdc: string;
  returned_usdc: string;
  status: string;
  expires_at: string | null;
  closed_at: string | null;
  created_at: string;
}

export interface Purse {
  purse_id: string;
  account_id: string;
  amount_usdc: string;
  spent_usdc: string;
  returned_usdc: string;
  category: string | null;
  host: string | null;
  status: string;
  expires_at: string | null;
  closed_at: string | null;
  created_at: string;
}

export interface Payment {
  payment_id: string;
  account_id: string;
  status: 'free' | 'paid' | 'paid_unreceipted' | 'rejected' | 'unknown' | 'failed';
  amount_usdc: string;
  category: string | null;
  protocol: 'mpp' | 'x402' | null;
  method: 'voucher' | 'charge' | 'purse' | null;
  provider: string;
  rejection_reason?: string;
  created_at: string;
}

export interface Webhook {
  webhook_id: string;
  url: string;
  events: string[];
  account_ids: string[];
  low_balance_threshold_usdc: number | null;
  status: 'active' | 'paused';
  created_at: string;
  /** Only in the response that creates it. */
  secret?: string;
}

export interface Delivery {
  delivery_id: string;
  event_id: string;
  event_type: string;
  status: 'pending' | 'delivered' | 'undelivered';
  next_attempt_at: string | null;
  attempts: {
    attempt: number;
    at: string;
    status_code: number | null;
    duration_ms: number;
    error: string | null;
    response_excerpt: string | null;
  }[];
  created_at: string;
}

export interface ApiKey {
  key_id: string;
  type: 'agent' | 'operator';
  name: string | null;
  account_ids: string[] | null;
  prefix: string;
  /** Only in the response that creates it. */
  key?: string;
  expires_at: string | null;
  last_used_at?: string | null;
  created_at: string;
}

export interface Overview {
  accounts: number;
  paused_accounts: number;
  balance_usdc: string;
  pending_approvals: number;
  open_sessions: number;
  open_purses: number;
  undelivered: number;
  hours: { hour: string; settled_usdc: string; settled_count: number }[];
}

export const EVENT_TYPES = [
  'transfer.initiated',
  'transfer.settled',
  'transfer.rejected',
  'escalation.required',
  'session.opened',
  'session.cap_warning',
  'session.cap_reached',
  'session.settled',
  'purse.opened',
  'purse.closed',
  'balance.low_threshold',
];
