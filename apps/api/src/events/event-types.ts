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

/** The event of `POST /v1/webhooks/:id/test`: for that webhook alone, whatever its filters, and without an account. */
export const TEST_EVENT = 'webhook.test';
