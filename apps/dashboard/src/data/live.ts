/** Reloads the views when the service reports a change. A hidden page has no connection, unless it shows notifications. */
import { showsNotifications } from './notifications';

/** Events come in bursts, so reloading waits this long for more, and happens at most this often. */
const DEBOUNCE_MS = 250;
const MIN_INTERVAL_MS = 3_000;

/** The accounts that a change touches, or everything. */
export type Touched = ReadonlySet<string> | 'everything';

const listeners = new Set<(touched: Touched) => void>();
let touched: Set<string> | 'everything' = new Set();
let source: EventSource | undefined;
let timer: number | undefined;
let dueAt = 0;
let lastNotifiedAt = 0;

/** Calls `listener` with what changed, and after the connection was interrupted. Returns a function that stops it. */
export function onChange(listener: (touched: Touched) => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Reloads the views after a change that this page has made, without waiting for the service's event. */
export function changed(): void {
  touched = 'everything';
  notifyAt(Date.now() + DEBOUNCE_MS);
}

function onEvent({ data }: MessageEvent<string>): void {
  const { account_id } = JSON.parse(data) as { account_id: string | null };
  if (account_id === null) touched = 'everything';
  else if (touched !== 'everything') touched.add(account_id);
  notifyAt(Math.max(Date.now() + DEBOUNCE_MS, lastNotifiedAt + MIN_INTERVAL_MS));
}

/** Notifies the listeners at a time, or earlier if that is due already. */
function notifyAt(moment: number): void {
  if (timer !== undefined && dueAt <= moment) return;
  clearTimeout(timer);
  dueAt = moment;
  timer = window.setTimeout(() => {
    timer = undefined;
    lastNotifiedAt = Date.now();
    const reported = touched;
    touched = new Set();
    for (const listener of listeners) listener(reported);
  }, moment - Date.now());
}

/** Listens to the service's events until the returned function is called. */
export function listen(onSignedOut: () => void): () => void {
  const open = (): void => {
    source?.close();
    source = undefined;
    if (document.hidden && !showsNotifications()) return;
    let isFirst = true;
    const current = new EventSource('/dashboard/events');
    source = current;
    current.addEventListener('message', onEvent);
    current.addEventListener('open', () => {
      // Changes while the connection was interrupted were not reported.
      if (!isFirst) changed();
      isFirst = false;
    });
    current.addEventListener('signed-out', () => {
      current.close();
      onSignedOut();
    });
  };
  const onVisibility = (): void => {
    open();
    if (!document.hidden) changed();
  };
  document.addEventListener('visibilitychange', onVisibility);
  open();
  return () => {
    document.removeEventListener('visibilitychange', onVisibility);
    source?.close();
    source = undefined;
  };
}
