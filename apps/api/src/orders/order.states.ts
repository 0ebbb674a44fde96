/** The states of an order and every transition between them. `docs/architecture.md` draws this table. */
import type { Transition } from '../persistence/transition';

/**
 * `created`: accepted, nothing was sent. `pending_approval`: waits for an operator. `submitted`: signed bytes are stored and may land.
 * The other three are final: a replay returns them. An order that `failed`, or was rejected for lack of balance, may run again.
 */
export type OrderStatus = 'created' | 'pending_approval' | 'submitted' | 'settled' | 'rejected' | 'failed';

/** States in which the service has work to do. */
export const UNRESOLVED_STATUSES: readonly OrderStatus[] = ['created', 'submitted'];

export const ORDER_TRANSITIONS = {
  /** The policy asks for an operator's approval, in the simulation or where the order lands. */
  escalate: { from: ['created', 'submitted'], to: 'pending_approval' },
  approve: { from: ['pending_approval'], to: 'created' },
  /** The chain was unavailable when an approval was to be executed: the order waits for another. */
  unapprove: { from: ['created'], to: 'pending_approval' },
  deny: { from: ['pending_approval'], to: 'rejected' },
  expire: { from: ['pending_approval'], to: 'rejected' },
  /** Signed bytes are stored, before they are sent. */
  submit: { from: ['created', 'submitted'], to: 'submitted' },
  /** Every attempt is dead: simulate and sign again with the same nonce. */
  restart: { from: ['submitted'], to: 'created' },
  /** The nonce was used by another order: simulate and sign again with a new one. */
  dropNonce: { from: ['created', 'submitted'], to: 'created' },
  settle: { from: ['created', 'submitted'], to: 'settled' },
  /** The chain proves that the order landed, whatever the database says after a restore. */
  settleProven: { from: ['created', 'pending_approval', 'submitted', 'rejected', 'failed'], to: 'settled' },
  /** The order settled, and the finalized chain does not have it: it is sent again under the same nonce. */
  reverse: { from: ['settled'], to: 'submitted' },
  reject: { from: ['created', 'submitted'], to: 'rejected' },
  fail: { from: ['created', 'submitted'], to: 'failed' },
  /** A repeated request after a failure that no rule caused. */
  rerun: { from: ['failed', 'rejected'], to: 'created' },
} as const satisfies Record<string, Transition<OrderStatus>>;
