/** The components that views are made of. */
import type { ComponentChildren, JSX } from 'preact';
import { createContext } from 'preact';
import { useContext, useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Problem } from './api';
import { formatUsdc } from './money';
import { ROOT, cameByLink } from './route';
import { stateInWords } from './state-words';
import type { SignedIn } from './types';

/** The signed-in operator, and the names of accounts. */
export interface PageState {
  signedIn: SignedIn;
  nameOf: (accountId: string) => string;
  accounts: { account_id: string; name: string }[];
}

export const PageContext = createContext<PageState | null>(null);

export function usePage(): PageState {
  const page = useContext(PageContext);
  if (!page) throw new Error('usePage needs a PageContext around the component.');
  return page;
}

type Children = { children: ComponentChildren };

export function Link({ to, children, ...more }: { to: string; 'aria-current'?: 'page' | undefined } & Children): JSX.Element {
  return (
    <a href={ROOT + to} {...more}>
      {children}
    </a>
  );
}

/** The heading of a view with its actions. After a link was followed it gets the focus, so that screen readers announce the view. */
export function Heading({
  title,
  children,
  back,
}: {
  title: string;
  children?: ComponentChildren;
  back?: { to: string; title: string };
}): JSX.Element {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Agent payments`;
  }, [title]);
  useEffect(() => {
    if (cameByLink()) heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <header class="heading">
      <div>
        {back && (
          <p class="back">
            <Link to={back.to}>← {back.title}</Link>
          </p>
        )}
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
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

/** An amount in USDC. The title has all six decimals. */
export function Usdc({ amount, sign = '' }: { amount: string; sign?: string }): JSX.Element {
  return (
    <span class="amount" title={`${sign}${amount} USDC`}>
      {sign}
      {formatUsdc(amount)} <small>USDC</small>
    </span>
  );
}

const SHORT = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const LONG = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' });
const LONGEST = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit' });

/** A time in the viewer's time zone. The title has the exact time in UTC. */
export function Time({ at }: { at: string }): JSX.Element {
  const [moment, now] = [new Date(at), new Date()];
  const format = moment.toDateString() === now.toDateString() ? SHORT : moment.getFullYear() === now.getFullYear() ? LONG : LONGEST;
  return (
    <time dateTime={at} title={`${at.replace('T', ' ').replace('Z', '')} UTC`}>
      {format.format(moment)}
    </time>
  );
}

const TONES: Record<string, string> = {
  settled: 'good',
  active: 'good',
  delivered: 'good',
  paid: 'good',
  paid_unreceipted: 'good',
  free: 'good',
  open: 'good',
  pending_approval: 'wait',
  submitted: 'wait',
  pending: 'wait',
  opening: 'wait',
  closing: 'wait',
  unknown: 'wait',
  rejected: 'bad',
  failed: 'bad',
  undelivered: 'bad',
  paused: 'bad',
};

/** The word for a state. */
export function Status({ of, reason }: { of: string; reason?: string | undefined }): JSX.Element {
  return <span class={`status ${TONES[of] ?? ''}`}>{stateInWords(of, reason)}</span>;
}

/** An id or an address, shortened where it is long. The title has all of it. */
export function Code({ text, whole = false }: { text: string; whole?: boolean }): JSX.Element {
  const shown = whole || text.length <= 20 ? text : `${text.slice(0, 9)}…${text.slice(-6)}`;
  return (
    <code title={text} class={whole ? 'whole' : undefined}>
      {shown}
    </code>
  );
}

/** A link to an account of the operator by its name, or any other id or address as it is. */
export function AccountLink({ id }: { id: string }): JSX.Element {
  const { nameOf, accounts } = usePage();
  if (!accounts.some(({ account_id }) => account_id === id)) return <Code text={id} />;
  return (
    <span class="party">
      <Link to={`/accounts/${id}`}>{nameOf(id)}</Link>
    </span>
  );
}

export function Copy({ text, what }: { text: string; what: string }): JSX.Element | null {
  const [copied, setCopied] = useState(false);
  // Missing on a page that was loaded by http from another machine.
  if (!('clipboard' in navigator)) return null;
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 2_000);
  };
  return (
    <button type="button" class="quiet" onClick={() => void copy()} aria-label={`Copy ${what}`}>
      {copied ? 'Copied' : 'Copy'}
    </button>
  );
}

/** The message and details of a problem. */
export function ProblemNotice({ problem }: { problem: Problem | undefined }): JSX.Element | null {
  if (!problem) return null;
  return (
    <div class="notice bad" role="alert">
      <p>{problem.message}</p>
      {problem.details.length > 0 && (
        <ul>
          {problem.details.map(({ field, message }) => (
            <li key={field}>
              <code>{field}</code> {message}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** A notice. */
export function Notice({ tone = '', children }: { tone?: 'good' | 'bad' | '' } & Children): JSX.Element {
  return (
    <div class={`notice ${tone}`} role="status">
      {children}
    </div>
  );
}

/** Shows that data is loading or why it could not be loaded, else `children(data)`. */
export function Loaded<T>({
  data,
  problem,
  children,
}: {
  data: T | undefined;
  problem: Problem | undefined;
  children: (data: T) => ComponentChildren;
}): JSX.Element {
  return (
    <>
      <ProblemNotice problem={problem} />
      {data === undefined ? (
        problem ? null : (
          <p class="loading" role="status">
            Loading …
          </p>
        )
      ) : (
        children(data)
      )}
    </>
  );
}

export function Empty({ children }: Children): JSX.Element {
  return <p class="empty">{children}</p>;
}

/** A button that is disabled while its work runs, and shows why it failed. */
export function Action({
  run,
  children,
  class: className,
  disabled = false,
  label,
}: { run: () => Promise<unknown>; class?: string; disabled?: boolean; label?: string } & Children): JSX.Element {
  const [state, setState] = useState<{ busy: boolean; problem?: Problem }>({ busy: false });
  const click = async (): Promise<void> => {
    setState({ busy: true });
    setState({ busy: false, problem: await problemOf(run) });
  };
  return (
    <>
      <button
        type="button"
        class={className}
        disabled={disabled || state.busy}
        aria-busy={state.busy}
        aria-label={label}
        onClick={() => void click()}
      >
        {children}
      </button>
      <ProblemNotice problem={state.problem} />
    </>
  );
}

async function problemOf(run: () => Promise<unknown>): Promise<Problem | undefined> {
  try {
    await run();
    return undefined;
  } catch (problem) {
    return problem instanceof Problem ? problem : new Problem(String(problem), 0, 'page');
  }
}

/** A modal dialog. Escape and Cancel close it, and the focus returns to where it was. */
export function Dialog({ title, onClose, children }: { title: string; onClose: () => void } & Children): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      onClose={onClose}
      onClick={(event) => event.target === dialog.current && dialog.current?.close()}
    >
      <div class="dialog">
        <h2 id={id}>{title}</h2>
        {children}
      </div>
    </dialog>
  );
}

/** A form that is disabled while it is submitted, and shows why that failed. Without `onCancel` it has no Cancel button. */
export function Form({
  send,
  submit,
  children,
  onCancel,
  danger = false,
  disabled = false,
}: { send: () => Promise<unknown>; submit: string; onCancel?: () => void; danger?: boolean; disabled?: boolean } & Children): JSX.Element {
  const [state, setState] = useState<{ busy: boolean; problem?: Problem }>({ busy: false });
  const shown = useRef(true);
  useEffect(() => () => void (shown.current = false), []);
  const work = async (event: Event): Promise<void> => {
    event.preventDefault();
    setState({ busy: true });
    const problem = await problemOf(send);
    if (shown.current) setState({ busy: false, problem });
  };
  return (
    <form onSubmit={(event) => void work(event)}>
      {children}
      <ProblemNotice problem={state.problem} />
      <div class="actions">
        <button type="submit" class={danger ? 'danger' : 'primary'} disabled={disabled || state.busy} aria-busy={state.busy}>
          {state.busy ? 'One moment …' : submit}
        </button>
        {onCancel && (
          <button type="button" onClick={onCancel}>
            Cancel
          </button>
        )}
      </div>
    </form>
  );
}

/** A label, its field, and a hint. */
export function Field({
  label,
  hint,
  problem,
  children,
}: {
  label: string;
  hint?: string;
  problem?: string | undefined;
  children: (props: { id: string; 'aria-describedby'?: string; 'aria-invalid'?: boolean }) => JSX.Element;
}): JSX.Element {
  const id = useId();
  const described = hint !== undefined || problem !== undefined;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({ id, ...(described && { 'aria-describedby': `${id}-hint` }), ...(problem !== undefined && { 'aria-invalid': true }) })}
      {described && (
        <p id={`${id}-hint`} class={problem === undefined ? 'hint' : 'hint bad'}>
          {problem ?? hint}
        </p>
      )}
    </div>
  );
}

export interface Column<Row> {
  name: string;
  cell: (row: Row) => ComponentChildren;
  /** Numbers are aligned to the right. */
  isNumber?: boolean;
}

/** A table. On a phone each row is shown as a card. The roles are explicit because the CSS of the cards removes them. */
export function Table<Row>({
  label,
  columns,
  rows,
  keyOf,
}: {
  label: string;
  columns: Column<Row>[];
  rows: Row[];
  keyOf: (row: Row) => string;
}): JSX.Element {
  return (
    <table role="table" aria-label={label}>
      <thead role="rowgroup">
        <tr role="row">
          {columns.map(({ name, isNumber }) => (
            <th key={name} role="columnheader" scope="col" class={isNumber ? 'number' : undefined}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map((row) => (
          <tr key={keyOf(row)} role="row">
            {columns.map(({ name, cell, isNumber }) => (
              <td key={name} role="cell" data-label={name} class={isNumber ? 'number' : undefined}>
                {inside(cell(row))}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The content of a cell, beside its label in a card. An empty cell is not shown in a card. */
function inside(content: ComponentChildren): ComponentChildren {
  return content === null || content === undefined || content === false || content === '' ? null : <div>{content}</div>;
}

/** The button that loads more rows of a list. */
export function More({ page, more }: { page: { has_more: boolean }; more: () => void }): JSX.Element | null {
  if (!page.has_more) return null;
  return (
    <p class="more">
      <button type="button" onClick={more}>
        Show more
      </button>
    </p>
  );
}

/** A list of names and values. */
export function Facts({ facts }: { facts: [string, ComponentChildren][] }): JSX.Element {
  return (
    <dl class="facts">
      {facts
        .filter(([, fact]) => fact !== null && fact !== undefined && fact !== false)
        .map(([name, fact]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{fact}</dd>
          </div>
        ))}
    </dl>
  );
}

export const textOf = (event: Event): string => (event.target as HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement).value;
export const isChecked = (event: Event): boolean => (event.target as HTMLInputElement).checked;

/** A select field. */
export function Choice({
  label,
  value,
  options,
  onChange,
}: {
  label: string;
  value: string;
  options: [string, string][];
  onChange: (value: string) => void;
}): JSX.Element {
  const id = useId();
  return (
    <div class="choice">
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => onChange(textOf(event))}>
        {options.map(([name, title]) => (
          <option key={name} value={name}>
            {title}
          </option>
        ))}
      </select>
    </div>
  );
}

/** A secret that is shown only once. */
export function ShownOnce({
  title,
  secret,
  what,
  hint,
  onClose,
}: {
  title: string;
  secret: string;
  what: string;
  hint: string;
  onClose: () => void;
}): JSX.Element {
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{hint}</p>
      <p class="secret">
        <Code text={secret} whole />
        <Copy text={secret} what={what} />
      </p>
      <div class="actions">
        <button type="button" class="primary" onClick={onClose}>
          I have kept it
        </button>
      </div>
    </Dialog>
  );
}
