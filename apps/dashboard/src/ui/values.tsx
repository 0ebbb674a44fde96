/** Single values: amounts, times, states, ids, accounts, providers. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Check, Copy as CopyIcon } from 'lucide';
import { formatUsdc, roundedUsdc } from '../values/money';
import { hostAndPath, hostOf, partsOfUrl } from '../values/addresses';
import { stateInWords } from '../words/state-words';
import { useBrief, useInLink } from './brief';
import { Icon } from './icons';
import { Link, usePage } from './page';

interface UsdcProps {
  amount: string;
  sign?: string;
  /** False if the column's head or a sentence names the unit. */
  hasUnit?: boolean;
}

/** An amount in USDC: rounded in tables and tiles, exact elsewhere. The title has all six decimals. */
export function Usdc({ amount, sign = '', hasUnit = true }: UsdcProps): JSX.Element {
  const isBrief = useBrief();
  return (
    <span class="amount" title={`${sign}${amount} USDC`}>
      {sign}
      {isBrief ? roundedUsdc(amount) : formatUsdc(amount)}
      {hasUnit && (
        <>
          {' '}
          <small>USDC</small>
        </>
      )}
    </span>
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

const SHOWN_WHOLE = 16;

/** An id or an address, shortened if it is long, with a button that copies it. The title has all of it. */
export function Code({ text, whole = false, what = 'it' }: { text: string; whole?: boolean; what?: string }): JSX.Element {
  if (whole) return <code class="whole">{text}</code>;
  return (
    <span class="id">
      <code title={text}>{text.length <= SHOWN_WHOLE ? text : `${text.slice(0, 8)}…${text.slice(-4)}`}</code>
      <Copy text={text} what={what} />
    </span>
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

/** A URL as its host and path, which is cut at its end if it does not fit. The title has the whole URL. */
export function Url({ of }: { of: string }): JSX.Element {
  return (
    <span class="url" title={of}>
      {hostAndPath(of)}
    </span>
  );
}

/** A whole URL, which breaks after slashes only. */
export function WholeUrl({ of }: { of: string }): JSX.Element {
  return (
    <code class="whole-url">
      {partsOfUrl(of).map((part, index) => (
        <span key={index}>{part}</span>
      ))}
    </code>
  );
}

/** A colour dot by which the eye finds an account again. */
function Dot({ of }: { of: string }): JSX.Element {
  let hash = 0;
  for (const letter of of) hash = (hash * 31 + letter.charCodeAt(0)) % 360;
  return <span class="dot" style={{ '--hue': hash }} aria-hidden="true" />;
}

/** An account of the operator by its name, with a link unless the whole row is one; any other id or address as it is. */
export function AccountLink({ id }: { id: string }): JSX.Element {
  const { nameOf, accounts } = usePage();
  const inLink = useInLink();
  if (!accounts.some(({ account_id }) => account_id === id)) return <Code text={id} />;
  const name = nameOf(id);
  return (
    <span class="party" title={name}>
      <Dot of={id} />
      {inLink ? <span>{name}</span> : <Link to={`/accounts/${id}`}>{name}</Link>}
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
    <button type="button" class="copy" onClick={() => void copy()} aria-label={copied ? 'Copied' : `Copy ${what}`} title={`Copy ${what}`}>
      <Icon of={copied ? Check : CopyIcon} />
    </button>
  );
}
