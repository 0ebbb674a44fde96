/** Hears from the service that something changed, and lets the views ask again. Only while the page is seen: a hidden one keeps no connection. */

/** Events come in bursts; and while they come without an end, the views ask anew only so often. */
const GATHER_MS = 250;
const AT_MOST_EVERY_MS = 3_000;

const listeners = new Set<() => void>();
let source: EventSource | undefined;
let timer: number | undefined;
let dueAt = 0;
let lastToldAt = 0;

/** Calls `listener` after something changed, and whenever the connection was away. */
export function onChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Tells the views without the service's word: after a change that this page made, whose maker waits to see it. */
export function changed(): void {
  tellAt(Date.now() + GATHER_MS);
}

function heard(): void {
  tellAt(Math.max(Date.now() + GATHER_MS, lastToldAt + AT_MOST_EVERY_MS));
}

/** At that time, or sooner where it was to be sooner anyway. */
function tellAt(moment: number): void {
  if (timer !== undefined && dueAt <= moment) return;
  clearTimeout(timer);
  dueAt = moment;
  timer = window.setTimeout(() => {
    timer = undefined;
    lastToldAt = Date.now();
    for (const listener of listeners) listener();
  }, moment - Date.now());
}

/** Listens from now on, until the returned function is called. */
export function listen(onSignedOut: () => void): () => void {
  const open = (): void => {
    source?.close();
    source = undefined;
    if (document.hidden) return;
    let isFirst = true;
    const current = new EventSource('/dashboard/events');
    source = current;
    current.addEventListener('message', heard);
    current.addEventListener('open', () => {
      // What happened while nobody listened was not heard of.
      if (!isFirst) changed();
      isFirst = false;
    });
    current.addEventListener('signed-out', () => {
      current.close();
      onSignedOut();
    });
  };
  const seen = (): void => {
    open();
    if (!document.hidden) changed();
  };
  document.addEventListener('visibilitychange', seen);
  open();
  return () => {
    document.removeEventListener('visibilitychange', seen);
    source?.close();
    source = undefined;
  };
}
