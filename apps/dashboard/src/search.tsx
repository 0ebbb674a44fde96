/** The search box, which is on every page, and what it finds. */
import type { JSX } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Problem, get, withQuery } from './api';
import { hostOf } from './addresses';
import { go } from './route';
import type { Search } from './types';
import { Status, Time, Usdc, textOf, usePage } from './ui';

/** How long the box waits for more letters. */
const DEBOUNCE_MS = 150;

const MATCHES: Record<string, string> = {
  reference: 'by reference',
  idempotency_key: 'by idempotency key',
  signature: 'by signature',
};

/** A line of the results. */
interface Hit {
  to: string;
  content: JSX.Element;
}

interface Group {
  title: string;
  hits: Hit[];
}

/** Opens with `/` from anywhere; arrows choose, Enter opens, and Escape leaves. */
export function SearchBox(): JSX.Element {
  const [text, setText] = useState('');
  const [isOpen, setOpen] = useState(false);
  const [chosen, setChosen] = useState(-1);
  const { found, problem } = useSearch(text.trim());
  const input = useRef<HTMLInputElement>(null);
  const id = useId();
  const groups = useGroups(found);
  const hits = groups.flatMap(({ hits: each }) => each);
  const isShown = isOpen && text.trim() !== '';
  // As soon as the page is shown: an effect would come after it, and lose the first key.
  useLayoutEffect(() => focusOnSlash(() => input.current), []);
  useEffect(() => setChosen(-1), [found]);

  const leave = (): void => {
    setText('');
    setOpen(false);
  };
  const open = (hit: Hit | undefined): void => {
    if (!hit) return;
    leave();
    input.current?.blur();
    go(hit.to, { isLink: true });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && hits.length > 0) setChosen((chosen + step + (chosen < 0 && step < 0 ? 1 : 0) + hits.length) % hits.length);
    else if (event.key === 'Enter') open(hits[Math.max(chosen, 0)]);
    else if (event.key === 'Escape') {
      leave();
      input.current?.blur();
    } else return;
    event.preventDefault();
  };
  /** A press on a result moves the focus within the search, which must not close before the click. */
  const closeUnlessWithin = ({ currentTarget, relatedTarget }: FocusEvent): void => {
    const isWithin = currentTarget instanceof Node && relatedTarget instanceof Node && currentTarget.contains(relatedTarget);
    if (!isWithin) setOpen(false);
  };
  const optionId = (index: number): string => `${id}-${index}`;
  let index = 0;
  return (
    <search class="search" onFocusOut={closeUnlessWithin}>
      <label for={`${id}-input`} class="unseen">
        Search accounts, transfers and payments
      </label>
      <input
        ref={input}
        id={`${id}-input`}
        type="text"
        enterKeyHint="search"
        role="combobox"
        aria-expanded={isShown}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={isShown && chosen >= 0 ? optionId(chosen) : undefined}
        aria-keyshortcuts="/"
        autoComplete="off"
        spellcheck={false}
        maxLength={200}
        placeholder="Search  /"
        value={text}
        onInput={(event) => {
          setText(textOf(event));
          setOpen(true);
        }}
        onFocus={() => setOpen(true)}
        onKeyDown={onKeyDown}
      />
      {isShown && (
        <div class="found" tabIndex={-1}>
          {problem && <p class="bad-text">{problem.message}</p>}
          <div id={`${id}-list`} role="listbox" aria-label="Search results">
            {groups.map(({ title, hits: each }) => (
              <div key={title} role="group" aria-labelledby={`${id}-${title}`}>
                <p id={`${id}-${title}`} class="found-title">
                  {title}
                </p>
                {each.map((hit) => {
                  const at = index++;
                  return (
                    <div
                      key={hit.to}
                      id={optionId(at)}
                      role="option"
                      tabIndex={-1}
                      aria-selected={at === chosen}
                      class="hit"
                      ref={(element) => {
                        if (at === chosen) element?.scrollIntoView({ block: 'nearest' });
                      }}
                      onClick={() => open(hit)}
                    >
                      {hit.content}
                    </div>
                  );
                })}
              </div>
            ))}
          </div>
          <p class="muted" role="status">
            {found === undefined ? (problem ? '' : 'Searching …') : hits.length === 0 ? 'Nothing found.' : `${hits.length} found`}
          </p>
        </div>
      )}
    </search>
  );
}

/** Focuses the box at `/`, unless the user types text or a dialog is open. Returns a function that stops it. */
function focusOnSlash(box: () => HTMLInputElement | null): () => void {
  const onKey = (event: KeyboardEvent): void => {
    const at = event.target;
    const isTyping = at instanceof Element && at.closest('input, textarea, select, dialog') !== null;
    if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping) return;
    event.preventDefault();
    box()?.focus();
  };
  document.addEventListener('keydown', onKey);
  return () => document.removeEventListener('keydown', onKey);
}

/** The findings of a text, a moment after it was typed. The response to an outdated text is not shown. */
function useSearch(text: string): { found: Search | undefined; problem: Problem | undefined } {
  const [state, setState] = useState<{ found?: Search; problem?: Problem }>({});
  useEffect(() => {
    let isCurrent = true;
    setState({});
    if (text === '') return;
    const timer = setTimeout(() => {
      const show = (next: { found?: Search; problem?: Problem }): void => void (isCurrent && setState(next));
      get<Search>(withQuery('/dashboard/data/search', { q: text })).then(
        (found) => show({ found }),
        (problem: unknown) => show(problem instanceof Problem ? { problem } : {}),
      );
    }, DEBOUNCE_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [text]);
  return { found: state.found, problem: state.problem };
}

function useGroups(found: Search | undefined): Group[] {
  const { nameOf } = usePage();
  if (!found) return [];
  const by = (matched: string): JSX.Element | false => matched in MATCHES && <span class="muted"> {MATCHES[matched]}</span>;
  const accounts = found.accounts.map(({ account_id, name, handle, status }) => ({
    to: `/accounts/${account_id}`,
    content: (
      <>
        <span>{name}</span> <span class="muted">{handle}</span> {status === 'paused' && <Status of={status} />}
      </>
    ),
  }));
  const transfers = found.transfers.map(({ transfer_id, status, rejection_reason, from, to, amount_usdc, memo, created_at, matched }) => ({
    to: `/transfers/${transfer_id}`,
    content: (
      <>
        <Usdc amount={amount_usdc} /> <Status of={status} reason={rejection_reason ?? undefined} />
        {by(matched)}
        <span class="hit-more">
          <Time at={created_at} /> {nameOf(from)} to {nameOf(to)} {memo !== null && `· ${memo}`}
        </span>
      </>
    ),
  }));
  const payments = found.payments.map(
    ({ payment_id, account_id, status, rejection_reason, provider, amount_usdc, created_at, matched }) => ({
      to: `/payments/${payment_id}`,
      content: (
        <>
          <Usdc amount={amount_usdc} /> <Status of={status} reason={rejection_reason ?? undefined} />
          {by(matched)}
          <span class="hit-more">
            <Time at={created_at} /> {nameOf(account_id)} to {hostOf(provider)}
          </span>
        </>
      ),
    }),
  );
  const escrows = found.escrows.map(({ kind, id, account_id, provider }) => ({
    to: `/${kind}s/${id}`,
    content: (
      <>
        {kind === 'session' ? 'Session' : 'Purse'} of {nameOf(account_id)} {provider !== null && `for ${hostOf(provider)}`}
      </>
    ),
  }));
  return [
    { title: 'Accounts', hits: accounts },
    { title: 'Transfers', hits: transfers },
    { title: 'Payments', hits: payments },
    { title: 'Sessions and purses', hits: escrows },
  ].filter(({ hits }) => hits.length > 0);
}
