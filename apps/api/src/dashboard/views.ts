/** The answers of the routes under /dashboard. Types alone, and no imports: the page, which runs in a browser, uses them too. */

/** The signed-in operator, as the dashboard gets it. */
export interface SignedInView {
  operator: {
    operator_id: string;
    name: string;
    /** Who holds the operator’s chain key: this service, or the operator itself. */
    chain_key_custody: 'service' | 'external';
  };
  key_id: string;
  expires_at: string;
  /** Whether the faucet is available. */
  has_faucet: boolean;
  /** The address of agent_policy, by which the page reads what the operator signs; null without a chain. */
  program_id: string | null;
}

/** The totals of an operator. */
export interface OverviewView {
  accounts: number;
  paused_accounts: number;
  /** The sum over all accounts, each after its last known transaction. */
  balance_usdc: string;
  pending_approvals: number;
  open_sessions: number;
  open_purses: number;
  undelivered: number;
  /** Webhooks whose newest attempt failed. */
  failing_webhooks: number;
}

/** The amounts that left the accounts, and the declined ones, in an hour or a day of UTC. */
export interface SpanView {
  /** When it begins. */
  at: string;
  settled_usdc: string;
  settled_count: number;
  declined_usdc: string;
  declined_count: number;
}

/** An order that waits for an operator. */
export interface ApprovalView {
  /** The kind of the order. It is approved by `id`: of the transfer, of the session that it opens or tops up, or of the purse. */
  kind: 'transfer' | 'session' | 'top_up' | 'purse';
  id: string;
  account_id: string;
  /** Null for a purse. */
  to: string | null;
  /** The session's provider, or the only host of a purse. */
  provider: string | null;
  amount_usdc: string;
  memo: string | null;
  category: string | null;
  /** The id of the API key that asked for it. */
  created_by: string | null;
  /** Whether the operator has paid this recipient, or this payee, before. Null for a purse. */
  has_paid_before: boolean | null;
  created_at: string;
  expires_at: string;
}

/** How the last deliveries of a webhook went. */
export interface WebhookHealthView {
  webhook_id: string;
  /** Of its newest deliveries: those that were delivered, and those that are delivered or undelivered. */
  delivered: number;
  finished: number;
  /** The newest failed attempt of them; null if there is none. */
  last_error: { at: string; status_code: number | null; error: string | null } | null;
}

/** The name of an API key, also of a revoked one. */
export interface KeyNameView {
  key_id: string;
  name: string | null;
  type: 'operator' | 'agent';
  is_revoked: boolean;
}

/** An account, its limits, and what it did in the last 24 hours. */
export interface ListedAccountView {
  account_id: string;
  name: string;
  handle: string;
  labels: string[];
  status: 'active' | 'paused' | 'closed';
  /** After the account's last known transaction. The service looks for newer ones every second. */
  balance_usdc: string;
  max_single_transfer: number | null;
  max_daily_spend: number | null;
  escalation_threshold: number | null;
  /** Whether the policy lists counterparties or categories. */
  has_lists: boolean;
  /** The amount that left the account in the last 24 hours. */
  sent_usdc: string;
  /** The amounts that left the account in each of the last 24 hours, oldest first, in percent of the greatest; empty if nothing left. */
  sent_by_hour: number[];
  sent_count: number;
  declined_count: number;
  /** The amount that open sessions and purses set aside. */
  reserved_usdc: string;
  /** The time of the newest event; null if there was none. */
  last_activity_at: string | null;
  created_at: string;
}

export interface ListedAccountsView {
  data: ListedAccountView[];
  /** Whether the operator has older accounts. */
  has_more: boolean;
}

/** The part of a row that the search has found. */
export type Match = 'id' | 'name' | 'memo' | 'reference' | 'idempotency_key' | 'signature' | 'counterparty' | 'amount';

/** An account that the search found. */
export interface FoundAccount {
  account_id: string;
  name: string;
  handle: string;
  status: 'active' | 'paused';
  matched: Match;
}

/** A transfer that the search found. */
export interface FoundTransfer {
  transfer_id: string;
  status: string;
  rejection_reason: string | null;
  from: string;
  to: string;
  amount_usdc: string;
  memo: string | null;
  created_at: string;
  matched: Match;
}

/** A payment that the search found. */
export interface FoundPayment {
  payment_id: string;
  account_id: string;
  status: string;
  rejection_reason: string | null;
  provider: string;
  amount_usdc: string;
  created_at: string;
  matched: Match;
}

/** A session or purse that the search found by its id. */
export interface FoundEscrow {
  kind: 'session' | 'purse';
  id: string;
  account_id: string;
  provider: string | null;
}

/** The findings of the search, each group the best matches first. */
export interface SearchView {
  accounts: FoundAccount[];
  transfers: FoundTransfer[];
  payments: FoundPayment[];
  escrows: FoundEscrow[];
}

/** A name, and the filters and order of a list that it stands for. */
export interface SavedView {
  name: string;
  /** The query of the list's URL, with its question mark. */
  search: string;
}

/** A session of a browser, as its operator sees it. */
export interface BrowserSessionView {
  session_id: string;
  /** The operator key that it began with. */
  key_id: string;
  created_at: string;
  last_seen_at: string;
  expires_at: string;
  /** Whether the request came with it. */
  is_current: boolean;
}

/** Rent of open accounts: of the account, its token account and its own policy. `accounts` states it too: the compiler compares them. */
export interface RentView {
  accounts: number;
  /** Of data on chain, without what the runtime adds for every account. */
  bytes: number;
  /** At the chain's present rate; it comes back when an account is closed. */
  lamports: string;
}
