/** Where the page is: the path below /dashboard, and its query. */
import { useEffect, useState } from 'preact/hooks';

export const ROOT = '/dashboard';

export interface Route {
  /** `accounts`, `acct_…` */
  path: string[];
  query: Record<string, string>;
}

const listeners = new Set<() => void>();
let hasFollowed = false;

/** Whether a link of the page was followed: then the browser itself tells nobody that there is another view. */
export function cameByLink(): boolean {
  return hasFollowed;
}

function current(): Route {
  const path = location.pathname
    .slice(ROOT.length)
    .split('/')
    .filter((part) => part !== '');
  return { path: path.map(decodeURIComponent), query: Object.fromEntries(new URLSearchParams(location.search)) };
}

/** Goes to a path below /dashboard. `replace`: without a step for the back button. */
export function go(to: string, { replace = false } = {}): void {
  if (replace) history.replaceState(null, '', ROOT + to);
  else history.pushState(null, '', ROOT + to);
  for (const listener of listeners) listener();
}

/** The route, now and after each change. */
export function useRoute(): Route {
  const [route, setRoute] = useState(current);
  useEffect(() => {
    const update = (): void => setRoute(current());
    listeners.add(update);
    window.addEventListener('popstate', update);
    document.addEventListener('click', follow);
    return () => {
      listeners.delete(update);
      window.removeEventListener('popstate', update);
      document.removeEventListener('click', follow);
    };
  }, []);
  return route;
}

/** A plain click on a link into the page stays in the page; any other click is the browser's. */
function follow(event: MouseEvent): void {
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  if (!link || event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  if (link.target !== '' || link.origin !== location.origin || !link.pathname.startsWith(ROOT)) return;
  event.preventDefault();
  hasFollowed = true;
  go(link.pathname.slice(ROOT.length) + link.search);
  window.scrollTo(0, 0);
}
