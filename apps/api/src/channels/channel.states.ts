/** The states of a channel and every transition between them. `docs/architecture.md` draws this table. */
import type { Transition } from '../persistence/transition';

/**
 * `opening`: its seller has the signed opening, and the chain does not show the channel. `open`: the chain shows it. `closing`: its end was
 * asked for. `closed`: what it paid is known and is final, or it can never be opened.
 */
export const CHANNEL_STATUSES = ['opening', 'open', 'closing', 'closed'] as const;
export type ChannelStatus = (typeof CHANNEL_STATUSES)[number];

export const CHANNEL_TRANSITIONS = {
  open: { from: ['opening'], to: 'open' },
  beginClosing: { from: ['opening', 'open'], to: 'closing' },
  close: { from: ['opening', 'open', 'closing'], to: 'closed' },
} as const satisfies Record<string, Transition<ChannelStatus>>;
