/** Related things of an account: its orders that wait, open sessions and purses, keys, and the lists of the rest. */
import type { JSX } from 'preact';
import { everyRow, withQuery } from '../../data/api';
import { useData, useGet } from '../../data/data';
import type { ApiKey, Approval, Page, Purse, Session } from '../../data/types';
import { AccountLink, Link, Section, Status, Table, Time, type Column } from '../../ui';
import { Decision } from '../money/decision';
import { LastAddress } from '../access/last-address';

/** Keys that are read to find those of the account. */
const MAX_KEYS = 1_000;

/** The orders of an account that wait for approval; nothing if none does. */
export function WaitingSection({ id }: { id: string }): JSX.Element | null {
  const waiting = useGet<{ data: Approval[] }>('/dashboard/data/approvals').data?.data.filter(({ account_id }) => account_id === id) ?? [];
  if (waiting.length === 0) return null;
  return (
    <Section title="Waiting for approval">
      <Table
        label="Waiting for approval"
        rows={waiting}
        keyOf={({ kind, id: order }) => `${kind} ${order}`}
        linkOf={({ kind, id: order }) => `/${kind === 'top_up' ? 'session' : kind}s/${order}`}
        columns={[
          { name: 'To', cell: ({ to, provider }) => (to === null ? (provider ?? 'any provider') : <AccountLink id={to} />) },
          { name: 'Memo', cell: ({ memo }) => memo, onPhone: 'rest' },
          { name: 'Expires', cell: ({ expires_at }) => <Time at={expires_at} />, onPhone: 'labelled' },
          { name: 'Amount', amount: ({ amount_usdc }) => amount_usdc },
          {
            name: 'Action',
            cell: (approval) => (
              <span class="row-actions">
                <Decision approval={approval} />
              </span>
            ),
          },
        ]}
      />
    </Section>
  );
}

/** A session or a purse. */
interface Allowance {
  view: string;
  what: string;
  status: string;
  spent: string;
  amount: string;
  ends: string | null;
}

const ALLOWANCES: Column<Allowance>[] = [
  { name: 'What', cell: ({ what }) => what },
  { name: 'State', cell: ({ status }) => <Status of={status} />, onPhone: 'first' },
  { name: 'Ends', cell: ({ ends }) => ends !== null && <Time at={ends} />, onPhone: 'labelled' },
  { name: 'Spent', amount: ({ spent }) => spent },
  { name: 'Amount', amount: ({ amount }) => amount, onPhone: 'labelled' },
];

/** The open sessions and purses of an account; nothing if it has none. */
export function AllowancesSection({ id }: { id: string }): JSX.Element | null {
  const filters = { account_id: id, status: 'open', limit: 20 };
  const sessions = useGet<Page<Session>>(withQuery('/v1/sessions', filters), { account: id }).data?.data ?? [];
  const purses = useGet<Page<Purse>>(withQuery('/v1/purses', filters), { account: id }).data?.data ?? [];
  const rows: Allowance[] = [
    ...sessions.map(({ session_id, provider, status, running_total_usdc, cap_usdc, expires_at }) => ({
      view: `/sessions/${session_id}`,
      what: `Session at ${provider}`,
      status,
      spent: running_total_usdc,
      amount: cap_usdc,
      ends: expires_at,
    })),
    ...purses.map(({ purse_id, host, status, spent_usdc, amount_usdc, expires_at }) => ({
      view: `/purses/${purse_id}`,
      what: host === null ? 'Purse' : `Purse at ${host}`,
      status,
      spent: spent_usdc,
      amount: amount_usdc,
      ends: expires_at,
    })),
  ];
  if (rows.length === 0) return null;
  return (
    <Section title="Open sessions and purses">
      <Table label="Open sessions and purses" rows={rows} keyOf={({ view }) => view} linkOf={({ view }) => view} columns={ALLOWANCES} />
    </Section>
  );
}

/** The agent keys that may spend from an account, those of its fleet included. */
export function AccountKeysSection({ id, fleetId }: { id: string; fleetId: string | null }): JSX.Element | null {
  const keys = useData('keys', () => everyRow<ApiKey>('/v1/api_keys', {}, MAX_KEYS)).data?.data ?? [];
  const own = keys.filter(({ account_ids, fleet_ids }) => account_ids?.includes(id) || (fleetId !== null && fleet_ids?.includes(fleetId)));
  if (own.length === 0) return null;
  return (
    <Section title="API keys" actions={<Link to={`/keys?account_id=${id}`}>Change them</Link>}>
      <Table
        label="API keys"
        rows={own}
        keyOf={({ key_id }) => key_id}
        linkOf={({ prefix }) => `/keys?text=${prefix}`}
        columns={[
          { name: 'Name', cell: ({ name, prefix }) => name ?? prefix },
          { name: 'Begins with', cell: ({ prefix }) => <code>{prefix}…</code>, onPhone: 'hidden' },
          {
            name: 'Last used',
            cell: ({ last_used_at }) => (last_used_at ? <Time at={last_used_at} /> : <span class="muted">never</span>),
            onPhone: 'labelled',
          },
          { name: 'From', cell: (key) => <LastAddress of={key} />, onPhone: 'hidden' },
          {
            name: 'Expires',
            cell: ({ expires_at }) => (expires_at ? <Time at={expires_at} /> : <span class="muted">never</span>),
            onPhone: 'labelled',
          },
        ]}
      />
    </Section>
  );
}

/** Links to the lists of everything of an account. */
export function AccountLists({ id }: { id: string }): JSX.Element {
  return (
    <p class="actions account-lists">
      All its <Link to={`/transfers?account_id=${id}`}>transfers</Link> <Link to={`/payments?account_id=${id}`}>payments</Link>{' '}
      <Link to={`/sessions?account_id=${id}`}>sessions</Link> <Link to={`/purses?account_id=${id}`}>purses</Link>{' '}
      <Link to={`/activity?account_id=${id}`}>events</Link>
    </p>
  );
}
