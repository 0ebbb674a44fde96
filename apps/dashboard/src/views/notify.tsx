import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

/** A button that asks the browser for permission to show notifications of orders that wait for approval. */
export function NotifyMe(): JSX.Element | null {
  // Missing in some browsers, and on a page that was loaded by http from another machine.
  const isAvailable = 'Notification' in window && window.isSecureContext;
  const [permission, setPermission] = useState(isAvailable ? Notification.permission : 'denied');
  if (!isAvailable || permission !== 'default') return null;
  return (
    <button type="button" onClick={() => void Notification.requestPermission().then(setPermission)}>
      Notify me
    </button>
  );
}

/** Shows a notification, where the operator has allowed that and looks at another page. */
export function notifyOfApprovals(waiting: number): void {
  if (!('Notification' in window) || Notification.permission !== 'granted' || !document.hidden) return;
  const body = waiting === 1 ? 'One order waits for your approval.' : `${waiting} orders wait for your approval.`;
  const notification = new Notification('Agent payments', { body, tag: 'approvals' });
  notification.addEventListener('click', () => window.focus());
}
