import type { JSX } from 'preact';
import { ACCOUNT, TIMES, type Filter } from '../../filters';
import { stateOptions } from '../../words/state-words';
import type { Transfer } from '../../data/types';
import { AccountLink, FilteredList, Status, Time, type Column } from '../../ui';
import { TRANSFER_REASONS, ruleInWords } from '../policies/rules';

const FILTERS: Filter[] = [
  ACCOUNT,
  {
    kind: 'choice',
    name: 'status',
    label: 'State',
    options: stateOptions(['pending_approval', 'submitted', 'settled', 'rejected', 'failed']),
  },
  { kind: 'choice', name: 'rejection_reason', label: 'Reason', options: TRANSFER_REASONS },
  { kind: 'text', name: 'to', label: 'Recipient', placeholder: 'Account, handle or address' },
  { kind: 'text', name: 'category', label: 'Category' },
  { kind: 'text', name: 'min_amount', label: 'At least, USDC', isAmount: true },
  ...TIMES,
];

const COLUMNS: Column<Transfer>[] = [
  {
    name: 'Created',
    cell: ({ created_at }) => <Time at={created_at} />,
  },
  {
    name: 'State',
    cell: ({ status, rejection_reason }) => <Status of={status} reason={rejection_reason} />,
    onPhone: 'first',
  },
  { name: 'From', cell: ({ from }) => <AccountLink id={from} /> },
  {
    name: 'To',
    cell: ({ to }) => (
      <>
        <span class="phone-only">to </span>
        <AccountLink id={to} />
      </>
    ),
  },
  {
    name: 'Memo',
    cell: ({ memo, category, rejection_reason }) => (
      <>
        {rejection_reason && <span class="bad-text">{ruleInWords(rejection_reason)} </span>}
        {[memo, category && `(${category})`].filter(Boolean).join(' ')}
      </>
    ),
    onPhone: 'rest',
  },
  { name: 'Amount', amount: ({ amount_usdc }) => amount_usdc },
];

/** The list of transfers. */
export function TransfersView({ query }: { query: Record<string, string> }): JSX.Element {
  return (
    <FilteredList<Transfer>
      title="Transfers"
      place="/transfers"
      source="/v1/transfers"
      csv="/dashboard/data/transfers.csv"
      query={query}
      filters={FILTERS}
      columns={COLUMNS}
      keyOf={({ transfer_id }) => transfer_id}
      linkOf={({ transfer_id }) => `/transfers/${transfer_id}`}
      empty="No transfers yet. Agents make them with POST /v1/transfers."
    />
  );
}
