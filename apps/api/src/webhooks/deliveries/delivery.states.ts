/** The states of a webhook delivery and every transition between them. `docs/architecture.md` draws this table. */
import type { Transition } from '../../persistence/transition';

export const DELIVERY_STATUSES = ['pending', 'delivered', 'undelivered'] as const;

/** `pending`: an attempt is due or scheduled. `delivered`: the receiver answered 2xx. `undelivered`: the schedule of retries is used up. */
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

export const DELIVERY_TRANSITIONS = {
  succeed: { from: ['pending'], to: 'delivered' },
  /** An attempt failed, and the next one is scheduled. */
  retry: { from: ['pending'], to: 'pending' },
  giveUp: { from: ['pending'], to: 'undelivered' },
  /** By request of the operator: the whole schedule from now. */
  replay: { from: ['delivered', 'undelivered'], to: 'pending' },
} as const satisfies Record<string, Transition<DeliveryStatus>>;
