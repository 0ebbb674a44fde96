/** The event types of the contract, which webhooks may subscribe to. */
export const EVENT_TYPES = [
  'transfer.initiated',
  'transfer.settled',
  'transfer.rejected',
  'transfer.reversed',
  'session.opened',
  'session.cap_warning',
  'session.cap_reached',
  'session.settled',
  'session.reversed',
  'purse.opened',
  'purse.closed',
  'purse.refunded',
  'purse.reversed',
  'balance.low_threshold',
  'escalation.required',
  'fleet.paused',
  'fleet.resumed',
  'fleet.policy_changed',
  'fleet.member_joined',
  'fleet.member_left',
  'job.finished',
  'fee_payer.low',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** When each type fires. */
export const EVENT_DESCRIPTIONS: Record<EventType, string> = {
  'transfer.initiated': 'A transfer passed the policy check and is submitted to the chain. It is not final.',
  'transfer.settled': 'A transfer, or a single payment to a provider, settled on chain.',
  'transfer.rejected': 'A rule declined a transfer, an operator denied it, or its approval expired. No money moved.',
  'transfer.reversed':
    'A transfer, or a single payment to a provider, that had settled is not on the finalized chain. A transfer is sent again under the same nonce; ' +
    'transfer.settled follows, with resettled. A payment is settled again only if the provider’s transaction lands again.',
  'session.opened': 'A session opened, and its cap is in escrow on chain.',
  'session.cap_warning': 'The payments of a session exceed 80 percent of its cap.',
  'session.cap_reached': 'The cap of a session is used up. It pays nothing more unless it is topped up.',
  'session.settled': 'A session closed and settled on chain. Its amounts are the authoritative ones for billing.',
  'session.reversed':
    'The opening or the end of a session is not on the finalized chain. It is made again; its event follows, with resettled.',
  'purse.opened': 'A purse opened, and its amount is approved on chain.',
  'purse.closed': 'A purse ended. The event says what it spent and what it returned.',
  'purse.refunded': 'Money of a channel purse came home after it was closed: it restores no limit.',
  'purse.reversed': 'The opening or the end of a purse is not on the finalized chain. It is made again; its event follows, with resettled.',
  'balance.low_threshold': 'The balance of an account fell below the threshold of a webhook.',
  'escalation.required': 'An order reached escalation_threshold and waits for an operator.',
  'fleet.paused': 'A fleet is paused: its members pay nothing. It belongs to no account, and has a sequence of the fleet.',
  'fleet.resumed': 'A fleet is resumed. It belongs to no account, and has a sequence of the fleet.',
  'fleet.policy_changed':
    'The policy or the limits of a fleet changed: names of limits begin with “limits.”. It belongs to no account, and has a sequence of the fleet.',
  'fleet.member_joined': 'An account joined a fleet. It belongs to no account, and has a sequence of the fleet.',
  'fleet.member_left': 'An account left a fleet. It belongs to no account, and has a sequence of the fleet.',
  'job.finished':
    'A bulk job ended: every account had its turn, or it was cancelled. It belongs to no account, and has a sequence of the operator.',
  'fee_payer.low':
    'The fee payer of the service fell below its reserve: only pauses, approvals, denials, rotations and endings are sent. Also of each further key ' +
    'that pays fees. It belongs to no account, and has a sequence of the operator.',
};

/** Types whose events belong to a fleet, and to no account. */
export const FLEET_EVENTS: readonly EventType[] = [
  'fleet.paused',
  'fleet.resumed',
  'fleet.policy_changed',
  'fleet.member_joined',
  'fleet.member_left',
];

/** Types whose events belong to the operator, and to no account. */
export const OPERATOR_EVENTS: readonly EventType[] = ['job.finished', 'fee_payer.low'];

/** The event of `POST /v1/webhooks/:id/test`: for that webhook alone, whatever its filters, and without an account. */
export const TEST_EVENT = 'webhook.test';
