/** How single values are shown: amounts, times, states, ids, accounts, providers. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { formatUsdc } from '../money';
import { hostAndPath, hostOf } from '../addresses';
import { stateInWords } from '../state-words';
import { Link, usePage } from './page';

/** An amount in USDC, with at least `decimals` of them. The title has all six. */
export function Usdc({ amount, sign = '', decimals }: { amount: string; sign?: string; decimals?: number }): JSX.Element {
  return (
    <span class="amount" title={`${sign}${amount} USDC`}>
      {sign}
      {formatUsdc(amount, decimals)} <small>USDC</small>
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
  failing: 'bad',
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

/** The host of a provider, and the category. The title has the whole address. */
export function Provider({ of, category = null }: { of: string; category?: string | null }): JSX.Element {
  return (
    <span title={of}>
      {hostOf(of)}
      {category !== null && <span class="muted"> ({category})</span>}
    </span>
  );
}

/** A URL as its host and path, which is cut at its end where it does not fit. The title has the whole URL. */
export function Url({ of }: { of: string }): JSX.Element {
  return (
    <span class="url" title={of}>
      {hostAndPath(of)}
    </span>
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
