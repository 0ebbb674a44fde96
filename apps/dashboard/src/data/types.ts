/** The responses of the API that the page uses. Those of public routes are the types of the API's description. */
import type { components } from '../../../../libs/client/src/schema';

type Schemas = components['schemas'];

/** The fields that are absent if they are not set, and that null unsets. */
type OptionalField = 'max_session_cap' | 'max_monthly_spend' | 'max_lifetime_spend' | 'valid_until' | 'approval_above_daily_sum';
/** The policy as the page edits it. */
export type PolicyFields = Omit<Schemas['PolicyFields'], OptionalField> & Pick<Schemas['UpdatePolicy'], OptionalField>;
export type Policy = Schemas['Policy'];
export type Account = Schemas['Account'];
export type Hosts = Schemas['Hosts'];
export type Spending = Schemas['Spending'];
export type HistoryEntry = Schemas['Record'];
export type Statement = Schemas['Statement'];
export type Transfer = Schemas['Transfer'];
export type Session = Schemas['Session'];
export type Purse = Schemas['Purse'];
export type Channel = Schemas['Channel'];
export type Payment = Schemas['Payment'];
export type Delivery = Schemas['Delivery'];
/** `secret` is only in the response that creates it. */
export type Webhook = Schemas['Webhook'] & Partial<Pick<Schemas['NewWebhook'], 'secret'>>;
/** `key` is only in the response that creates it. */
export type ApiKey = Omit<Schemas['ApiKey'], KeyUse> & Partial<Pick<Schemas['ApiKey'], KeyUse> & Pick<Schemas['NewApiKey'], 'key'>>;
type KeyUse = 'last_used_at' | 'last_used_ip' | 'last_used_ip_at';

/** The operator's chain key, and who holds it. */
export type ChainKey = Schemas['ChainKey'];
export type SignatureRequest = Schemas['SignatureRequest'];
export type Fleet = Schemas['Fleet'];
export type PausedFleet = Schemas['PausedFleet'];
export type FleetSpending = Schemas['FleetSpending'];
export type Job = Schemas['Job'];
export type JobDetails = Schemas['JobDetails'];
/** The answer to what a chain key that the operator holds must sign. */
export type SignatureRequired = Schemas['SignatureRequired'];

export interface Page<T> {
  data: T[];
  cursor: string | null;
  has_more: boolean;
}

export interface SignedIn {
  operator: { operator_id: string; name: string; chain_key_custody: ChainKey['chain_key_custody'] };
  key_id: string;
  expires_at: string;
  has_faucet: boolean;
  program_id: string | null;
}

/** A browser that is signed in. */
export interface BrowserSession {
  session_id: string;
  key_id: string;
  created_at: string;
  last_seen_at: string;
  expires_at: string;
  is_current: boolean;
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
  created_by: string | null;
  has_paid_before: boolean | null;
  created_at: string;
  expires_at: string;
}

/** An account with its figures, as /dashboard/data/accounts has it. Amounts and counts are those of the last 24 hours. */
export interface ListedAccount {
  account_id: string;
  name: string;
  handle: string;
  labels: string[];
  status: 'active' | 'paused' | 'closed';
  balance_usdc: string;
  max_single_transfer: number | null;
  max_daily_spend: number | null;
  escalation_threshold: number | null;
  has_lists: boolean;
  sent_usdc: string;
  sent_by_hour: number[];
  sent_count: number;
  declined_count: number;
  reserved_usdc: string;
  last_activity_at: string | null;
  created_at: string;
}

export interface ListedAccounts {
  data: ListedAccount[];
  has_more: boolean;
}

export type AuditEntry = Schemas['AuditEntry'];
export type Usage = Schemas['Usage'];

export interface KeyName {
  key_id: string;
  name: string | null;
  type: 'operator' | 'agent';
  is_revoked: boolean;
}

/** The settled and declined amounts of an hour or a day. */
export interface Span {
  at: string;
  settled_usdc: string;
  settled_count: number;
  declined_usdc: string;
  declined_count: number;
}

/** The findings of the search. */
export interface Search {
  accounts: { account_id: string; name: string; handle: string; status: string; matched: string }[];
  transfers: {
    transfer_id: string;
    status: string;
    rejection_reason: string | null;
    from: string;
    to: string;
    amount_usdc: string;
    memo: string | null;
    created_at: string;
    matched: string;
  }[];
  payments: {
    payment_id: string;
    account_id: string;
    status: string;
    rejection_reason: string | null;
    provider: string;
    amount_usdc: string;
    created_at: string;
    matched: string;
  }[];
  escrows: { kind: 'session' | 'purse'; id: string; account_id: string; provider: string | null }[];
}

/** The outcome of the last deliveries of a webhook. */
export interface WebhookHealth {
  webhook_id: string;
  delivered: number;
  finished: number;
  last_error: { at: string; status_code: number | null; error: string | null } | null;
}

export type ProviderPin = Schemas['Provider'];
export type ServiceEvent = Schemas['Event'];

export interface Rent {
  accounts: number;
  /** Size of the data on chain. */
  bytes: number;
  /** At the present rate of the chain. */
  lamports: string;
}

export interface Overview {
  accounts: number;
  paused_accounts: number;
  balance_usdc: string;
  pending_approvals: number;
  open_sessions: number;
  open_purses: number;
  undelivered: number;
  /** Webhooks whose newest attempt failed. */
  failing_webhooks: number;
}

/** The event types that the page offers, in its order. */
export const EVENT_TYPES: Schemas['EventType']['type'][] = [
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
  'purse.refunded',
  'balance.low_threshold',
];
