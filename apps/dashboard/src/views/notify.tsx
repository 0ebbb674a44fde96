import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { notificationState, turnOffNotifications, turnOnNotifications } from '../data/notifications';

/** Turns notifications of orders that wait for approval on and off, in this browser. */
export function NotifyMe(): JSX.Element | null {
  const [state, setState] = useState(notificationState);
  if (state === 'unavailable') return null;
  if (state === 'denied') return <p class="muted">This browser blocks notifications: allow them in its settings for this page.</p>;
  return state === 'on' ? (
    <button type="button" onClick={() => void turnOffNotifications().then(setState)}>
      Turn notifications off
    </button>
  ) : (
    <button type="button" onClick={() => void turnOnNotifications().then(setState)}>
      Notify me
    </button>
  );
}
