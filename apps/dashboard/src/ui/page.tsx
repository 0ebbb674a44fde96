/** The page around the views: its state, links, headings and sections. */
import type { ComponentChildren, JSX } from 'preact';
import { createContext } from 'preact';
import { useContext, useEffect, useId, useRef } from 'preact/hooks';
import { ROOT, cameByLink, listWithFilters } from '../route';
import type { ListedAccount, SignedIn } from '../data/types';

/** The signed-in operator, and the names of accounts. */
export interface PageState {
  signedIn: SignedIn;
  nameOf: (accountId: string) => string;
  /** The name of an API key. */
  keyNameOf: (keyId: string | null) => string;
  accounts: ListedAccount[];
}

export const PageContext = createContext<PageState | null>(null);

export function usePage(): PageState {
  const page = useContext(PageContext);
  if (!page) throw new Error('usePage needs a PageContext around the component.');
  return page;
}

type Children = { children: ComponentChildren };

export function Link({
  to,
  children,
  ...more
}: { to: string; class?: string; 'aria-current'?: 'page' | undefined; 'aria-label'?: string } & Children): JSX.Element {
  return (
    <a href={ROOT + to} {...more}>
      {children}
    </a>
  );
}

const shown: { title: string | undefined; count: number } = { title: undefined, count: 0 };

/** The title of the browser's tab: a count of what waits, the view, and the page. */
function setTitle(title: string | undefined): void {
  shown.title = title;
  const count = shown.count > 0 ? `(${shown.count}) ` : '';
  document.title = `${count}${title === undefined ? '' : `${title} · `}Agent payments`;
}

/** Shows in the title how many orders wait for approval. */
export function setTitleCount(count: number): void {
  shown.count = count;
  setTitle(shown.title);
}

/**
 * The heading of a view with its actions. After a link was followed it gets the focus, so that screen readers announce the view. While the
 * title is not known, its place is kept. `back` leads to a list with the filters with which it was left.
 */
export function Heading({
  title,
  state,
  children,
  back,
}: {
  title: string | undefined;
  /** The state of what the view shows, beside its title. */
  state?: ComponentChildren;
  children?: ComponentChildren;
  back?: { to: string; title: string };
}): JSX.Element {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    setTitle(title);
  }, [title]);
  useEffect(() => {
    if (cameByLink()) heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <header class="heading">
      <div class="title">
        {back && (
          <p class="back">
            <Link to={listWithFilters(back.to)} aria-label={`Back to ${back.title}`}>
              {back.title}
            </Link>
          </p>
        )}
        <h1 ref={heading} tabIndex={-1} aria-busy={title === undefined}>
          {title ?? (
            <>
              <span class="unseen">Loading …</span>
              <span class="skeleton" aria-hidden="true" />
            </>
          )}
        </h1>
        {state}
      </div>
      {children && <div class="actions">{children}</div>}
    </header>
  );
}

/** A section with its heading. */
export function Section({ title, actions, children }: { title: string; actions?: ComponentChildren } & Children): JSX.Element {
  const id = useId();
  return (
    <section aria-labelledby={id} class="section">
      <div class="section-head">
        <h2 id={id}>{title}</h2>
        {actions && <div class="actions">{actions}</div>}
      </div>
      {children}
    </section>
  );
}
