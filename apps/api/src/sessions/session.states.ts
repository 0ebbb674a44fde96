/** The states of a session and every transition between them. `docs/architecture.md` draws this table. */
import type { Transition } from '../persistence/transition';

/**
 * `ordered`: its opening order is not settled, or was declined. `open`: the cap is in escrow. `closing`: no payment is authorized
 * from it any more, and its end is under way or waits for a grace period. `settled`: ended.
 */
export const SESSION_STATES = ['ordered', 'open', 'closing', 'settled'] as const;
export type SessionState = (typeof SESSION_STATES)[number];

export const SESSION_TRANSITIONS = {
  /** In the statement that settles the opening order. */
  open: { from: ['ordered'], to: 'open' },
  beginClosing: { from: ['open'], to: 'closing' },
  /** By our closing, by the payee's, or by anyone's after expiry. */
  end: { from: ['open', 'closing'], to: 'settled' },
} as const satisfies Record<string, Transition<SessionState>>;
