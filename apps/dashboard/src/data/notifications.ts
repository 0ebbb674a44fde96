/**
 * Notifications of orders that wait for approval. By push if the browser has it, also while no page is open (sw.js); elsewhere a page that
 * is open in another tab shows them.
 */
import { call, get, post } from './api';

const WORKER = '/dashboard/sw.js';
const SCOPE = '/dashboard/';
const SUBSCRIPTIONS = '/dashboard/push/subscriptions';
/** Kept in this browser: whether the operator has turned notifications on. */
const WANTED = 'notifications';

export type NotificationState = 'unavailable' | 'off' | 'on' | 'denied';

/** Browsers have them on pages that were loaded by https, or from this machine. */
const isAvailable = 'Notification' in window && window.isSecureContext;
const canPush = isAvailable && 'serviceWorker' in navigator && 'PushManager' in window;

export function notificationState(): NotificationState {
  if (!isAvailable) return 'unavailable';
  if (Notification.permission === 'denied') return 'denied';
  return showsNotifications() ? 'on' : 'off';
}

/** Whether the operator has turned notifications on in this browser, and the browser still allows them. */
export function showsNotifications(): boolean {
  return isAvailable && Notification.permission === 'granted' && localStorage.getItem(WANTED) === 'on';
}

/** Asks the browser for permission, and subscribes to push. */
export async function turnOnNotifications(): Promise<NotificationState> {
  if ((await Notification.requestPermission()) === 'granted') {
    localStorage.setItem(WANTED, 'on');
    await renewPush();
  }
  return notificationState();
}

/** Ends the subscription, here and at the service. */
export async function turnOffNotifications(): Promise<NotificationState> {
  localStorage.removeItem(WANTED);
  const subscription = await pushSubscription();
  if (subscription) {
    await call('DELETE', SUBSCRIPTIONS, { endpoint: subscription.endpoint }).catch(() => undefined);
    await subscription.unsubscribe().catch(() => false);
  }
  return notificationState();
}

/**
 * Subscribes to push if notifications are on, or reports the subscription again: the browser may have ended it, and another operator may
 * have signed in. A browser that cannot reach its push service shows notifications while a page is open.
 */
export async function renewPush(): Promise<void> {
  if (!canPush || !showsNotifications()) return;
  try {
    const { public_key } = await get<{ public_key: string }>('/dashboard/push/key');
    await navigator.serviceWorker.register(WORKER, { scope: SCOPE });
    const { endpoint, keys } = (await subscribe(await activeWorker(), public_key)).toJSON();
    await post(SUBSCRIPTIONS, { endpoint, keys: { p256dh: keys?.p256dh, auth: keys?.auth } });
  } catch (problem) {
    console.warn('There are notifications only while this page is open.', problem);
  }
}

/** Shows a notification if push does not, while the operator looks at another page. */
export async function notifyOfApprovals(waiting: number): Promise<void> {
  if (!showsNotifications() || !document.hidden || (await pushSubscription())) return;
  const body = waiting === 1 ? 'One order waits for your approval.' : `${waiting} orders wait for your approval.`;
  const notification = new Notification('Agent payments', { body, tag: 'approvals' });
  notification.addEventListener('click', () => window.focus());
}

/** Calls `show` with the view that a click on a notification asks for. Returns a function that stops it. */
export function followNotifications(show: (path: string) => void): () => void {
  if (!canPush) return () => undefined;
  const onMessage = ({ data }: MessageEvent<{ show: string }>): void => show(data.show);
  navigator.serviceWorker.addEventListener('message', onMessage);
  return () => navigator.serviceWorker.removeEventListener('message', onMessage);
}

async function pushSubscription(): Promise<PushSubscription | null> {
  const worker = canPush ? await navigator.serviceWorker.getRegistration(SCOPE) : undefined;
  return (await worker?.pushManager.getSubscription()) ?? null;
}

/** The registration, as soon as its worker is active: before that no subscription is possible. */
async function activeWorker(): Promise<ServiceWorkerRegistration> {
  const found = await navigator.serviceWorker.getRegistration(SCOPE);
  if (!found) throw new Error('The service worker was not registered.');
  const worker = found.installing ?? found.waiting;
  if (!found.active && worker)
    await new Promise<void>((resolve) => worker.addEventListener('statechange', () => isEnd(worker.state) && resolve()));
  return found;
}

function isEnd(state: ServiceWorkerState): boolean {
  return state === 'activated' || state === 'redundant';
}

/** Subscribes under the service's key; a subscription under the key of an earlier service, as of a sandbox that was reset, is replaced. */
async function subscribe({ pushManager }: ServiceWorkerRegistration, publicKey: string): Promise<PushSubscription> {
  const options = { userVisibleOnly: true, applicationServerKey: publicKey };
  try {
    return await pushManager.subscribe(options);
  } catch (problem) {
    const old = await pushManager.getSubscription();
    if (!old) throw problem;
    await old.unsubscribe();
    return pushManager.subscribe(options);
  }
}
