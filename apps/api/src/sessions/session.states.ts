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
  /** As `open`, of a session that was paid out of before the database was restored: it is only ended. */
  openCut: { from: ['ordered'], to: 'closing' },
  beginClosing: { from: ['open'], to: 'closing' },
  /** Its opening is not on the finalized chain: the order is sent again. */
  reverseOpening: { from: ['open', 'closing'], to: 'ordered' },
  /** Its end is not on the finalized chain: it is ended again. */
  reverseEnd: { from: ['settled'], to: 'closing' },
  /** By our closing, by the payee's, or by anyone's after expiry. */
  end: { from: ['open', 'closing'], to: 'settled' },
} as const satisfies Record<string, Transition<SessionState>>;
