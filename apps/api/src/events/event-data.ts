/** The content of each event: the member `data` of its body. Amounts in USDC, with six decimals. */
import type { Metadata } from '../lists/references';
import type { EventType } from './event-types';

/** The caller's reference and metadata. Absent if it attached none. */
interface Attached {
  reference?: string;
  metadata?: Metadata;
}

/** Of a fact that was reversed before: it is reported again. */
interface Resettled {
  resettled?: boolean;
}

interface OfTransfer extends Attached {
  transfer_id: string;
  account_id: string;
  amount_usdc: string;
}

interface OfSession {
  session_id: string;
  account_id: string;
}

interface OfPurse extends Attached {
  purse_id: string;
  account_id: string;
  amount_usdc: string;
}

/** A transfer was submitted to the chain. */
export interface TransferInitiatedData extends OfTransfer {
  to: string;
  tx_signature: string;
}

/** A transfer settled. A paid charge too, with its payment, and a payment out of a purse, with its purse. */
export interface TransferSettledData extends OfTransfer, Resettled {
  tx_signature: string | null;
  settled_at: string;
  payment_id?: string;
  purse_id?: string;
}

/** A transfer was rejected: by a rule of the policy, by an operator, or because it was not approved in time. */
export interface TransferRejectedData extends OfTransfer {
  rejection_reason: string;
}

/** A transfer that had settled is not on the finalized chain. The signature is that of the transaction that vanished. */
export interface TransferReversedData extends OfTransfer {
  tx_signature: string;
}

/** A session opened. */
export interface SessionOpenedData extends OfSession, Attached, Resettled {
  cap_usdc: string;
  provider: string;
  payee: string;
  tx_signature: string | null;
  expires_at: string;
}

/** The payments of a session reached 80 percent of its cap, or all of it. */
export interface SessionCapData extends OfSession {
  running_total_usdc: string;
  cap_usdc: string;
}

/** A session ended. `settled_usdc` and `returned_usdc` add up to its cap. */
export interface SessionSettledData extends OfSession, Attached, Resettled {
  cap_usdc: string;
  settled_usdc: string;
  returned_usdc: string;
  tx_signature: string | null;
  settled_at: string;
}

/** The opening of a session, or its end, is not on the finalized chain. */
export interface SessionReversedData extends OfSession, Attached {
  cap_usdc: string;
  tx_signature: string;
}

/** A purse opened. */
export interface PurseOpenedData extends OfPurse, Resettled {
  category: string | null;
  host: string | null;
  tx_signature: string | null;
  expires_at: string;
}

/** A purse ended. `spent_usdc` and `returned_usdc` add up to its amount. */
export interface PurseClosedData extends OfPurse, Resettled {
  spent_usdc: string;
  returned_usdc: string;
  tx_signature: string | null;
}

/** Money of a channel purse came home after it was closed. `amount_usdc` is what came. */
export interface PurseRefundedData extends OfPurse {
  tx_signature: string | null;
}

/** The opening of a purse, or its end, is not on the finalized chain. */
export interface PurseReversedData extends OfPurse {
  tx_signature: string;
}

/** The balance of an account fell below the threshold of the webhook. */
export interface BalanceLowData {
  account_id: string;
  balance_usdc: string;
  usdc_token_account: string;
}

/** A transfer, a session, a top-up or a purse waits for an operator's approval. One of the three ids names it. */
export interface EscalationData extends Attached {
  transfer_id?: string;
  session_id?: string;
  purse_id?: string;
  account_id: string;
  amount_usdc: string;
  /** Null for a purse. */
  to: string | null;
  memo: string | null;
  threshold_usdc: string;
  expires_at: string;
}

/** A bulk job ended: finished, or cancelled with accounts that were not begun. */
export interface JobFinishedData {
  job_id: string;
  action: string;
  total: number;
  done: number;
  failed: number;
  status: 'finished' | 'cancelled';
  finished_at: string;
}

/** A fleet was paused or resumed. */
export interface FleetData {
  fleet_id: string;
}

/** The policy or the limits of a fleet changed. `version` is that of what changed. */
export interface FleetPolicyChangedData extends FleetData {
  version: number;
  /** The names of the fields; those of limits begin with `limits.`. */
  changes: string[];
}

/** An account joined or left a fleet. */
export interface FleetMemberData extends FleetData {
  account_id: string;
}

/** A key that pays fees holds less than it must. Amounts are in lamports. */
export interface FeePayerLowData {
  address: string;
  lamports: string;
  reserve_lamports: string;
}

/** The data of each event type. */
export interface EventData extends Record<EventType, object> {
  'transfer.initiated': TransferInitiatedData;
  'transfer.settled': TransferSettledData;
  'transfer.rejected': TransferRejectedData;
  'transfer.reversed': TransferReversedData;
  'session.opened': SessionOpenedData;
  'session.cap_warning': SessionCapData;
  'session.cap_reached': SessionCapData;
  'session.settled': SessionSettledData;
  'session.reversed': SessionReversedData;
  'purse.opened': PurseOpenedData;
  'purse.closed': PurseClosedData;
  'purse.refunded': PurseRefundedData;
  'purse.reversed': PurseReversedData;
  'balance.low_threshold': BalanceLowData;
  'escalation.required': EscalationData;
  'fleet.paused': FleetData;
  'fleet.resumed': FleetData;
  'fleet.policy_changed': FleetPolicyChangedData;
  'fleet.member_joined': FleetMemberData;
  'fleet.member_left': FleetMemberData;
  'job.finished': JobFinishedData;
  'fee_payer.low': FeePayerLowData;
}
