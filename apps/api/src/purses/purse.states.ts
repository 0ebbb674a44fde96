/** The states of a purse and every transition between them. `docs/architecture.md` draws this table. */
import type { Transition } from '../persistence/transition';

/**
 * `ordered`: its opening order is not settled, or was declined. `open`: its delegate may move the amount, and payments are authorized.
 * `closing`: no payment is authorized any more, and its end is under way. `closed`: nothing can move any more, and what moved is known.
 */
export const PURSE_STATUSES = ['ordered', 'open', 'closing', 'closed'] as const;
export type PurseStatus = (typeof PURSE_STATUSES)[number];

export const PURSE_TRANSITIONS = {
  /** In the statement that settles the opening order. */
  open: { from: ['ordered'], to: 'open' },
  beginClosing: { from: ['open'], to: 'closing' },
  end: { from: ['closing'], to: 'closed' },
} as const satisfies Record<string, Transition<PurseStatus>>;
