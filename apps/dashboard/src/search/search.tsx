/** The search box, which is on every page, and what it finds. */
import type { JSX } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Problem, get, withQuery } from '../data/api';
import { go } from '../route';
import type { Search } from '../data/types';
import { joined, useFoundGroups, useKnown, useLocalGroups, type Hit } from './search-groups';
import { textOf } from '../ui';

/** How long the box waits for more letters. */
const DEBOUNCE_MS = 150;

/** Opens with `/` or ⌘K from anywhere; arrows choose, Enter opens, and Escape leaves. */
export function SearchBox(): JSX.Element {
  const [text, setText] = useState('');
  const [isOpen, setOpen] = useState(false);
  const [chosen, setChosen] = useState(-1);
  const { found, problem } = useSearch(text.trim());
  const input = useRef<HTMLInputElement>(null);
  const id = useId();
  const [isUsed, setUsed] = useState(false);
  const local = useLocalGroups(text.trim(), useKnown(isUsed));
  const groups = joined(local, useFoundGroups(found));
  const hits = groups.flatMap(({ hits: each }) => each);
  // Enter before the service has answered opens the best hit when it has.
  const isWanted = useRef(false);
  const isSlow = useIsSlow(found === undefined && text.trim() !== '');
  const isShown = isOpen && text.trim() !== '';
  // As soon as the page is shown: an effect would come after it, and lose the first key.
  useLayoutEffect(() => focusOnSlash(() => input.current), []);
  useEffect(() => {
    setChosen(-1);
    if (isWanted.current && found) open(hits[0]);
  }, [found]);

  const leave = (): void => {
    isWanted.current = false;
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
    else if (event.key === 'Enter') {
      isWanted.current = hits.length === 0;
      open(hits[Math.max(chosen, 0)]);
    } else if (event.key === 'Escape') {
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
        Search everything
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
        aria-keyshortcuts="/ Meta+K Control+K"
        autoComplete="off"
        spellcheck={false}
        maxLength={200}
        placeholder={/Mac|iP/.test(navigator.userAgent) ? 'Search  ⌘K' : 'Search  Ctrl K'}
        value={text}
        onInput={(event) => {
          setText(textOf(event));
          setUsed(true);
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
            {found === undefined
              ? isSlow && !problem
                ? 'Searching …'
                : ''
              : hits.length === 0
                ? 'Nothing found.'
                : `${hits.length} found`}
          </p>
        </div>
      )}
    </search>
  );
}

/** How long the service may take before the box says that it searches. */
const SLOW_AFTER_MS = 300;

/** Whether something has lasted for a while. */
function useIsSlow(lasts: boolean): boolean {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    setSlow(false);
    if (!lasts) return;
    const timer = setTimeout(() => setSlow(true), SLOW_AFTER_MS);
    return () => clearTimeout(timer);
  }, [lasts]);
  return isSlow;
}

/** Focuses the box at ⌘K or Ctrl+K, and at `/` unless the user types text or a dialog is open. Returns a function that stops it. */
function focusOnSlash(box: () => HTMLInputElement | null): () => void {
  const onKey = (event: KeyboardEvent): void => {
    const at = event.target;
    const isTyping = at instanceof Element && at.closest('input, textarea, select, dialog') !== null;
    const isK = event.key.toLowerCase() === 'k' && (event.metaKey || event.ctrlKey) && !event.altKey;
    const isSlash = event.key === '/' && !event.ctrlKey && !event.metaKey && !event.altKey && !isTyping;
    if (!isSlash && (!isK || document.querySelector('dialog[open]'))) return;
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
