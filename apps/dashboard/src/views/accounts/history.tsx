import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { withQuery } from '../../data/api';
import { hostOf } from '../../values/addresses';
import { useRows } from '../../data/data';
import { stateOptions } from '../../words/state-words';
import type { HistoryEntry } from '../../data/types';
import { AccountLink, Choice, Empty, Link, Loaded, More, Section, Table, Time, type Column } from '../../ui';
import { ruleInWords } from '../policies/rules';

/** An entry in words: `Payment · api.example.com`. */
export function entryInWords({ type, payment_id, provider }: Pick<HistoryEntry, 'type' | 'payment_id' | 'provider'>): string {
  const host = provider === null ? '' : ` · ${hostOf(provider)}`;
  if (type === 'deposit') return 'Deposit';
  if (type === 'session_settlement') return `Session settled${host}`;
  return `${payment_id === null && provider === null ? 'Transfer' : 'Payment'}${host}`;
}

/** The view of what an entry records; undefined for a deposit, which has none. */
function viewOf({ transfer_id, payment_id, session_id }: HistoryEntry): string | undefined {
  if (payment_id !== null) return `/payments/${payment_id}`;
  if (transfer_id !== null) return `/transfers/${transfer_id}`;
  return session_id === null ? undefined : `/sessions/${session_id}`;
}

const COLUMNS: Column<HistoryEntry>[] = [
  { name: 'Created', cell: ({ created_at }) => <Time at={created_at} /> },
  {
    name: 'What',
    cell: (entry) => {
      return (
        <>
          {entryInWords(entry)}
          {entry.rejection_reason !== null && <span class="bad-text"> {ruleInWords(entry.rejection_reason)}</span>}
        </>
      );
    },
    onPhone: 'first',
    isLink: true,
  },
  { name: 'With', cell: ({ counterparty }) => counterparty !== null && <AccountLink id={counterparty} /> },
  { name: 'Memo', cell: ({ memo, category }) => [memo, category && `(${category})`].filter(Boolean).join(' '), onPhone: 'rest' },
  {
    name: 'Amount',
    amount: ({ amount_usdc }) => amount_usdc,
    sign: ({ type, direction }) => (type === 'rejection' ? '' : direction === 'in' ? '+' : '−'),
  },
  {
    name: 'Chain',
    // A row with a view has the link there.
    cell: (entry) =>
      entry.chain_explorer_url !== null &&
      viewOf(entry) === undefined && (
        <a href={entry.chain_explorer_url} target="_blank" rel="noreferrer">
          explorer
        </a>
      ),
    onPhone: 'hidden',
  },
];

/** The history of an account. */
export function History({ id }: { id: string }): JSX.Element {
  const [status, setStatus] = useState('all');
  const entries = useRows<HistoryEntry>(`/v1/accounts/${id}/transactions`, { status }, { account: id });
  return (
    <Section
      title="History"
      actions={
        <>
          <Choice label="Show" value={status} options={[['all', 'All'], ...stateOptions(['settled', 'rejected'])]} onChange={setStatus} />
          <a class="button" href={withQuery('/dashboard/data/transactions.csv', { account_id: id, status })} download>
            Download CSV
          </a>
          <Link class="button" to={`/accounts/${id}/statement`}>
            Monthly statement
          </Link>
        </>
      }
    >
      <Loaded {...entries}>
        {(page) =>
          page.data.length === 0 ? (
            <Empty>{status === 'all' ? 'Nothing has happened here yet.' : 'No entries match this filter.'}</Empty>
          ) : (
            <>
              <Table label="History" rows={page.data} keyOf={(entry) => entry.id} linkOf={viewOf} columns={COLUMNS} />
              <More page={page} more={entries.more} />
            </>
          )
        }
      </Loaded>
    </Section>
  );
}
