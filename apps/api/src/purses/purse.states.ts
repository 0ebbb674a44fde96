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
  /** As `open`, of a purse that was paid out of before the database was restored: it is only ended. */
  openCut: { from: ['ordered'], to: 'closing' },
  beginClosing: { from: ['open'], to: 'closing' },
  /** Its opening is not on the finalized chain: the order is sent again. */
  reverseOpening: { from: ['open', 'closing'], to: 'ordered' },
  /** Its end is not on the finalized chain: it is ended again. */
  reverseEnd: { from: ['closed'], to: 'closing' },
  end: { from: ['closing'], to: 'closed' },
} as const satisfies Record<string, Transition<PurseStatus>>;
