/** The events of the contract: what a webhook may ask for. */
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

/** What `POST /v1/webhooks/:id/test` sends: to that webhook whatever it asked for, and of no account. */
export const TEST_EVENT = 'webhook.test';
