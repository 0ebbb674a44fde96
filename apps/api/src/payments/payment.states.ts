/** The states of a payment and every transition between them. `docs/architecture.md` draws this table. */
import type { Transition } from '../persistence/transition';

/**
 * `created`: no credential is stored. `unknown`: a credential is stored and may have been sent, and its outcome is not known. The
 * others are final, though a payment that `failed`, or was rejected for lack of balance, may run again under the same key.
 */
export const PAYMENT_STATUSES = ['created', 'unknown', 'free', 'paid', 'paid_unreceipted', 'rejected', 'failed'] as const;
export type PaymentStatus = (typeof PAYMENT_STATUSES)[number];

/** States in which the service has work to do. */
export const UNRESOLVED_PAYMENTS: readonly PaymentStatus[] = ['created', 'unknown'];

export const PAYMENT_TRANSITIONS = {
  /** The provider asked for nothing. */
  free: { from: ['created'], to: 'free' },
  /** The credential is stored, before it is sent. */
  authorize: { from: ['created'], to: 'unknown' },
  /** The provider accepted the voucher, with a receipt. */
  accept: { from: ['unknown'], to: 'paid' },
  /** The provider accepted the voucher, or must be taken to have accepted it. */
  acceptUnreceipted: { from: ['unknown'], to: 'paid_unreceipted' },
  /** The chain shows that the charge was paid, whatever the row says. */
  settle: { from: ['created', 'unknown', 'failed'], to: 'paid' },
  settleUnreceipted: { from: ['created', 'unknown', 'failed'], to: 'paid_unreceipted' },
  /** The finalized chain does not have the transaction that paid: it may land again. */
  reverse: { from: ['paid', 'paid_unreceipted'], to: 'unknown' },
  /** The agent reports the receipt that it got. */
  noteReceipt: { from: ['paid_unreceipted'], to: 'paid' },
  /** Declined before a credential was stored. */
  decline: { from: ['created'], to: 'rejected' },
  /** The provider refused the credential. */
  refuse: { from: ['unknown'], to: 'rejected' },
  /** No credential was stored, and no rule is in the way. */
  fail: { from: ['created'], to: 'failed' },
  rerun: { from: ['failed', 'rejected'], to: 'created' },
} as const satisfies Record<string, Transition<PaymentStatus>>;

/** Whether the same request may run again: no credential was stored, and no rule but the balance was in the way. */
export function isRerunnable({ status, rejectionReason }: { status: PaymentStatus; rejectionReason: string | null }): boolean {
  return status === 'failed' || (status === 'rejected' && rejectionReason === 'insufficient_balance');
}
