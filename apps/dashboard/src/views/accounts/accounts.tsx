import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { NEEDS, needsOf, usedPercent } from '../../data/account-needs';
import { call, newKey, withQuery } from '../../data/api';
import type { Data } from '../../data/data';
import { filtersIn, type Filter } from '../../filters';
import { changed } from '../../data/live';
import { formatLimit, toMicro } from '../../values/money';
import { go, useAsked } from '../../route';
import { stateOptions } from '../../words/state-words';
import type { Account, ListedAccount, ListedAccounts } from '../../data/types';
import {
  AccountLink,
  Dialog,
  Empty,
  Field,
  FilterBar,
  Form,
  Heading,
  Loaded,
  More,
  Notice,
  Sparkline,
  Status,
  Table,
  Time,
  textOf,
  type Column,
} from '../../ui';
import { PauseAll, type Shown } from '../policies/pause-all';
import { chooser, Selection } from './selection';

const FILTERS: Filter[] = [
  { kind: 'text', name: 'name', label: 'Name or handle' },
  { kind: 'choice', name: 'status', label: 'State', options: stateOptions(['active', 'paused', 'closed']) },
  { kind: 'text', name: 'label', label: 'Label', placeholder: 'team:research' },
  { kind: 'choice', name: 'needs', label: 'Needs attention', options: NEEDS },
];
const DEFAULT_SORT = '-created';
const ROWS = 100;

/** The orders of the list. If two are equal, the newer account comes first. */
const ORDERS: Record<string, (a: ListedAccount, b: ListedAccount) => number> = {
  name: (a, b) => a.name.localeCompare(b.name),
  balance: (a, b) => compare(toMicro(a.balance_usdc), toMicro(b.balance_usdc)),
  sent: (a, b) => compare(toMicro(a.sent_usdc), toMicro(b.sent_usdc)),
  used: (a, b) => compare(usedPercent(a) ?? -1, usedPercent(b) ?? -1),
  activity: (a, b) => compare(a.last_activity_at ?? '', b.last_activity_at ?? ''),
  created: (a, b) => compare(a.account_id, b.account_id),
};

function compare<T extends bigint | number | string>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The accounts under the filters and in the order of a query. A closed account is listed only under its state. */
function listed(accounts: ListedAccount[], query: Record<string, string>): ListedAccount[] {
  const name = (query.name ?? '').toLowerCase();
  const found = accounts.filter(
    (account) =>
      (query.status ? account.status === query.status : account.status !== 'closed') &&
      (name === '' || account.name.toLowerCase().includes(name) || account.handle.includes(name)) &&
      (!query.label || account.labels.includes(query.label)) &&
      (!query.needs || needsOf(account).some((need) => need === query.needs)),
  );
  const sort = query.sort ?? DEFAULT_SORT;
  const order = ORDERS[sort.replace(/^-/, '')] ?? ORDERS.created;
  const sorted = found.toSorted((a, b) => order?.(a, b) || compare(a.account_id, b.account_id));
  return sort.startsWith('-') ? sorted.reverse() : sorted;
}

/** The open accounts that are shown, and how many there are, if a filter is set. */
function shownOf(accounts: ListedAccounts | undefined, query: Record<string, string>, set: object): Shown | undefined {
  if (!accounts || accounts.has_more || Object.keys(set).length === 0) return undefined;
  const isOpen = ({ status }: ListedAccount): boolean => status !== 'closed';
  const ids = listed(accounts.data, query)
    .filter(isOpen)
    .map(({ account_id }) => account_id);
  return { ids, total: accounts.data.filter(isOpen).length };
}

/** The list of accounts, what is done to many of them, and the form to create one. */
export function AccountsView({ query, accounts }: { query: Record<string, string>; accounts: Data<ListedAccounts> }): JSX.Element {
  const [isCreating, setCreating] = useState(false);
  useAsked('create', () => setCreating(true));
  const [rows, setRows] = useState(ROWS);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const set = filtersIn(FILTERS, query);
  const show = (change: Record<string, string | undefined>): void =>
    go(withQuery('/accounts', { ...set, sort: query.sort, ...change }), { replace: true });
  const choose = (ids: string[], isChosen: boolean): void =>
    setChosen((old) => new Set(isChosen ? [...old, ...ids] : [...old].filter((id) => !ids.includes(id))));
  return (
    <>
      <Heading title="Accounts">
        <button type="button" class="primary" onClick={() => setCreating(true)}>
          Create account
        </button>
        <PauseAll disabled={accounts.data?.data.length === 0} shown={shownOf(accounts.data, query, set)} />
      </Heading>
      <FilterBar filters={FILTERS} query={set} place="/accounts" onChange={show} />
      <Loaded {...accounts}>
        {({ data, has_more }) => {
          const found = listed(data, query);
          const shown = found.slice(0, rows);
          const ids = found.map(({ account_id }) => account_id);
          return found.length === 0 ? (
            <Empty>
              {Object.keys(set).length > 0
                ? 'No accounts match these filters.'
                : 'No accounts yet. An agent gets one, with a policy that the chain enforces.'}
            </Empty>
          ) : (
            <>
              {has_more && <Notice>The newest {data.length.toLocaleString()} accounts are listed. The search finds all.</Notice>}
              <Selection
                chosen={data.filter(({ account_id }) => chosen.has(account_id))}
                count={found.length}
                onAll={(isChosen) => choose(ids, isChosen)}
              />
              <Table
                label="Accounts"
                rows={shown}
                keyOf={({ account_id }) => account_id}
                linkOf={({ account_id }) => `/accounts/${account_id}`}
                columns={[chooser(chosen, choose), ...COLUMNS]}
                sorting={{ by: query.sort ?? DEFAULT_SORT, onSort: (sort) => show({ sort }) }}
              />
              <More page={{ has_more: found.length > shown.length }} more={() => setRows(rows + ROWS)} />
            </>
          );
        }}
      </Loaded>
      {isCreating && <CreateAccount onClose={() => setCreating(false)} />}
    </>
  );
}

const COLUMNS: Column<ListedAccount>[] = [
  { name: 'Name', cell: ({ account_id }) => <AccountLink id={account_id} />, sort: 'name', onPhone: 'first', grows: true },
  { name: 'State', cell: ({ status }) => <Status of={status} />, onPhone: 'first' },
  { name: 'Balance', amount: ({ balance_usdc }) => balance_usdc, sort: 'balance' },
  { name: 'Sent, 24 h', amount: ({ sent_usdc }) => sent_usdc, sort: 'sent', onPhone: 'labelled' },
  {
    name: 'By hour',
    cell: ({ sent_by_hour, name }) => <Sparkline heights={sent_by_hour} label={`Sent by ${name} in each of the last 24 hours`} />,
    onPhone: 'hidden',
  },
  { name: '24-hour limit used', cell: (account) => <Used account={account} />, sort: 'used' },
  { name: 'Limits', cell: (account) => <span class="muted">{limits(account)}</span>, onPhone: 'hidden' },
  {
    name: 'Last activity',
    cell: ({ last_activity_at }) => (last_activity_at === null ? <span class="muted">never</span> : <Time at={last_activity_at} />),
    sort: 'activity',
    onPhone: 'labelled',
  },
  { name: 'Labels', cell: ({ labels }) => <Labels of={labels} />, onPhone: 'hidden' },
  { name: 'Created', cell: ({ created_at }) => <Time at={created_at} />, sort: 'created', onPhone: 'hidden' },
];

/** The first labels of an account; the title has all. */
function Labels({ of }: { of: string[] }): JSX.Element | null {
  if (of.length === 0) return null;
  return (
    <span class="muted" title={of.join(' ')}>
      {of[0]}
      {of.length > 1 && ` +${of.length - 1}`}
    </span>
  );
}

/** How much of the 24-hour limit is used: amber from 80 %, red from 100 %. */
function Used({ account }: { account: ListedAccount }): JSX.Element {
  const percent = usedPercent(account);
  if (percent === null) return <span class="muted">no limit</span>;
  const tone = percent >= 100 ? 'bad' : percent >= 80 ? 'warn' : '';
  return (
    <span class={`used ${tone}`}>
      <span class="bar" aria-hidden="true">
        <span class="spent" style={{ width: `${Math.min(100, percent)}%` }} />
      </span>{' '}
      {Math.floor(percent)} %
    </span>
  );
}

function limits({ max_single_transfer, max_daily_spend }: ListedAccount): string {
  const parts = [
    max_single_transfer !== null && `${formatLimit(max_single_transfer.toFixed(6))} per transfer`,
    max_daily_spend !== null && `${formatLimit(max_daily_spend.toFixed(6))} in 24 hours`,
  ].filter(Boolean);
  return parts.length === 0 ? 'none' : parts.join(', ');
}

function CreateAccount({ onClose }: { onClose: () => void }): JSX.Element {
  const [name, setName] = useState('');
  // Retries with the same name use the same key, so that a creation whose response was lost is not repeated.
  const key = useRef(newKey());
  const rename = (wanted: string): void => {
    setName(wanted);
    key.current = newKey();
  };
  const create = async (): Promise<void> => {
    const account = await call<Account>('POST', '/v1/accounts', { name }, { 'Idempotency-Key': key.current });
    changed();
    onClose();
    go(`/accounts/${account.account_id}`);
  };
  return (
    <Dialog title="Create account" onClose={onClose}>
      <Form send={create} submit="Create" onCancel={onClose}>
        <Field label="Name" hint="For people; it need not be unique. The account begins without limits: set its policy next.">
          {(props) => <input {...props} value={name} onInput={(event) => rename(textOf(event))} required maxLength={100} autoFocus />}
        </Field>
      </Form>
    </Dialog>
  );
}
