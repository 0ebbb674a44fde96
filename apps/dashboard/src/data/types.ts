/** The responses of the API that the page uses. Those of public routes are the types of the API's description. */
import type { components } from '../../../../libs/client/src/schema';

export type {
  ApprovalView as Approval,
  BrowserSessionView as BrowserSession,
  KeyNameView as KeyName,
  ListedAccountsView as ListedAccounts,
  ListedAccountView as ListedAccount,
  OverviewView as Overview,
  RentView as Rent,
  SavedView,
  SearchView as Search,
  SignedInView as SignedIn,
  SpanView as Span,
  WebhookHealthView as WebhookHealth,
} from '../../../api/src/dashboard/views';

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

export type AuditEntry = Schemas['AuditEntry'];
export type Usage = Schemas['Usage'];

export type ProviderPin = Schemas['Provider'];
export type ServiceEvent = Schemas['Event'];

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
