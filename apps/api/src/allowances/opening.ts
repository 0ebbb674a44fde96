import type { Account } from '../accounts';
import { referenceMembers } from '../lists/references';
import { formatUsdc } from '../money/usdc';
import type { Order, OrderInstruction, OrderStatus, SideEffects, Simulated } from '../orders';

/** The opening of an allowance as a request asks for it. Nothing of it is stored. */
export interface Opening<T> {
  order: Order;
  account: Account;
  /** The session or the purse. It has the id of its opening order. */
  allowance: T;
  instruction: OrderInstruction;
}

/** An opening that was simulated and is not stored. */
export interface PreparedOpening<T> extends Opening<T> {
  kind: 'new';
  /** Undefined while the chain is unavailable. */
  simulated: Simulated | undefined;
}

/** The opening that an earlier request with the same idempotency key placed. */
export interface EarlierOpening {
  kind: 'earlier';
  order: Order;
  account: Account;
}

/** The facts of an opening order that the API shows with its allowance. */
export interface OpeningFacts {
  status: OrderStatus;
  approvalExpiresAt: Date | null;
  rejectionReason: string | null;
}

/** The facts of the opening of an allowance that is open, or has been. */
export const OPENED: OpeningFacts = { status: 'settled', approvalExpiresAt: null, rejectionReason: null };

/** The facts of an opening that is stored and whose outcome the database cannot tell now. */
export const UNKNOWN_OPENING: OpeningFacts = { status: 'submitted', approvalExpiresAt: null, rejectionReason: null };

/** The status of an allowance by the status of its opening order. */
export const STATUS_BY_OPENING = {
  created: 'opening',
  submitted: 'opening',
  pending_approval: 'pending_approval',
  rejected: 'rejected',
  failed: 'failed',
  settled: 'open',
} as const satisfies Record<OrderStatus, string>;

/** The members of a view that tell of an opening that waits, was declined, or goes on by itself. */
export function openingMembers(
  status: string,
  { approvalExpiresAt, rejectionReason }: OpeningFacts,
  message: string | undefined,
): { approval?: { required_by: 'operator'; expires_at: string }; rejection_reason?: string; message?: string } {
  return {
    ...(status === 'pending_approval' &&
      approvalExpiresAt && { approval: { required_by: 'operator', expires_at: approvalExpiresAt.toISOString() } }),
    ...(status === 'rejected' && rejectionReason !== null && { rejection_reason: rejectionReason }),
    ...(message !== undefined && { message }),
  };
}

/** The event of an order of an allowance that waits for an operator. `subject` names the allowance. */
export function escalationOf(
  { operatorId, accountId, payee, microUsdc, ...order }: Order,
  subject: { session_id: string } | { purse_id: string },
  thresholdMicroUsdc: bigint,
  expiresAt: Date,
): SideEffects {
  const data = {
    ...subject,
    account_id: accountId,
    amount_usdc: formatUsdc(microUsdc),
    to: payee,
    memo: null,
    threshold_usdc: formatUsdc(thresholdMicroUsdc),
    expires_at: expiresAt.toISOString(),
    ...referenceMembers(order),
  };
  return { event: { operatorId, accountId, type: 'escalation.required', data } };
}
