/** The notification of an order that waits for approval. The service worker of the dashboard, sw.js, reads it. */
import type { EventData } from '../../events';

type EscalationData = EventData['escalation.required'];

/** Longest memo and recipient that are shown, in characters: browsers cut longer texts, and a message holds 4 KiB at most. */
const MAX_SHOWN = 140;

export interface Notification {
  title: string;
  body: string;
  /** When the order stops waiting, in ISO 8601. The browser shows it in its own time zone. */
  expires_at: string;
  /** Another notification with this tag replaces this one. */
  tag: string;
  /** The view that a click opens, below /dashboard. */
  path: string;
}

/** The notification of an event. `accountName` is the name of the account that would pay. */
export function notificationOf(eventId: string, accountName: string, data: EscalationData): Notification {
  const what = data.transfer_id !== undefined ? 'Transfer' : data.session_id !== undefined ? 'Session' : 'Purse';
  const to = data.to === null ? '' : ` to ${shortened(data.to)}`;
  const memo = data.memo === null ? '' : `: ${shortened(data.memo)}`;
  return {
    title: `${data.amount_usdc} USDC of ${accountName} waits for your approval`,
    body: `${what}${to}${memo}`,
    expires_at: data.expires_at,
    tag: eventId,
    path: '/approvals',
  };
}

function shortened(text: string): string {
  const characters = [...text];
  return characters.length <= MAX_SHOWN ? text : `${characters.slice(0, MAX_SHOWN - 1).join('')}…`;
}
