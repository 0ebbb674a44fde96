/** The router: the path below /dashboard, and its query. */
import { useEffect, useState } from 'preact/hooks';

export const ROOT = '/dashboard';

/** The parts of the path, and the query. */
export interface Route {
  /** Such as `accounts`, `acct_…`. */
  path: string[];
  query: Record<string, string>;
}

const listeners = new Set<() => void>();
let hasFollowed = false;

/** Whether the user followed a link in the page. Then the browser announces no new page to screen readers. */
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

/** The state of an entry of the browser's history: by the path of a list, the list with the filters with which it was left. */
interface Kept {
  lists: Record<string, string>;
}

function kept(): Kept {
  const state: unknown = history.state;
  return typeof state === 'object' && state !== null && 'lists' in state ? (state as Kept) : { lists: {} };
}

/** The state of the next entry: also this view, if it is a list. */
function keptAfterThis(): Kept {
  const path = location.pathname.slice(ROOT.length);
  const isList = /^\/[^/]+$/.test(path);
  return { lists: { ...kept().lists, ...(isList && { [path]: path + location.search }) } };
}

/** The list at a path, with the filters with which it was left on the way to this view. */
export function listWithFilters(path: string): string {
  return kept().lists[path] ?? path;
}

/** Goes to a path below /dashboard. `replace`: without an entry in the history. `isLink`: as by a link, so that the view is announced. */
export function go(to: string, { replace = false, isLink = false } = {}): void {
  if (isLink) hasFollowed = true;
  if (replace) history.replaceState(kept(), '', ROOT + to);
  else history.pushState(keptAfterThis(), '', ROOT + to);
  for (const listener of listeners) listener();
}

/** The current route. */
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

/** The link at an element: around it, or that of its row in a table, unless it is a control of the row. */
function linkAt(target: EventTarget | null): HTMLAnchorElement | null {
  if (!(target instanceof Element)) return null;
  const own = target.closest('a');
  if (own || target.closest('button, input, select, details, dialog')) return own;
  return target.closest('tr')?.querySelector<HTMLAnchorElement>('a.row-link') ?? null;
}

/** Handles plain clicks on links within the page. The browser handles all others. */
function follow(event: MouseEvent): void {
  const link = linkAt(event.target);
  if (!link || event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  if (link.target !== '' || link.hasAttribute('download') || link.origin !== location.origin || !link.pathname.startsWith(ROOT)) return;
  event.preventDefault();
  hasFollowed = true;
  go(link.pathname.slice(ROOT.length) + link.search);
  window.scrollTo(0, 0);
}

/** Calls `open` if the URL asks the view to do something, such as `?do=create`, which it then asks no more. */
export function useAsked(what: string, open: () => void): void {
  const { path, query } = useRoute();
  const isAsked = query.do === what;
  useEffect(() => {
    if (!isAsked) return;
    const { do: _done, ...rest } = query;
    const search = new URLSearchParams(rest).toString();
    go(`/${path.join('/')}${search && `?${search}`}`, { replace: true });
    open();
  }, [isAsked]);
}
