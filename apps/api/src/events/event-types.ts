/** The event types of the contract, which webhooks may subscribe to. */
export const EVENT_TYPES = [
  'transfer.initiated',
  'transfer.settled',
  'transfer.rejected',
  'session.opened',
  'session.cap_warning',
  'session.cap_reached',
  'session.settled',
  'purse.opened',
  'purse.closed',
  'balance.low_threshold',
  'escalation.required',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** When each type fires. */
export const EVENT_DESCRIPTIONS: Record<EventType, string> = {
  'transfer.initiated': 'A transfer passed the policy check and is submitted to the chain. It is not final.',
  'transfer.settled': 'A transfer, or a single payment to a provider, settled on chain.',
  'transfer.rejected': 'A rule declined a transfer, an operator denied it, or its approval expired. No money moved.',
  'session.opened': 'A session opened, and its cap is in escrow on chain.',
  'session.cap_warning': 'The payments of a session exceed 80 percent of its cap.',
  'session.cap_reached': 'The cap of a session is used up. It pays nothing more unless it is topped up.',
  'session.settled': 'A session closed and settled on chain. Its amounts are the authoritative ones for billing.',
  'purse.opened': 'A purse opened, and its amount is approved on chain.',
  'purse.closed': 'A purse ended. The event says what it spent and what it returned.',
  'balance.low_threshold': 'The balance of an account fell below the threshold of a webhook.',
  'escalation.required': 'An order reached escalation_threshold and waits for an operator.',
};

/** The event of `POST /v1/webhooks/:id/test`: for that webhook alone, whatever its filters, and without an account. */
export const TEST_EVENT = 'webhook.test';
