import type { JSX } from 'preact';
import { percentOf, toneOf } from '../../values/money';
import { useRows } from '../../data/data';
import { ACCOUNT, TIMES, type Filter } from '../../filters';
import { stateOptions } from '../../words/state-words';
import type { Payment } from '../../data/types';
import { AccountLink, Empty, FilteredList, Loaded, More, Section, Status, Table, Time, Url, Usdc, type Column } from '../../ui';
import { PAYMENT_REASONS, ruleInWords } from '../policies/rules';

const PROTOCOLS: Record<NonNullable<Payment['protocol']>, string> = { mpp: 'MPP', x402: 'x402' };

/** The protocol of the provider's 402, and the method of the payment. */
export function howPaid({ protocol, method }: Pick<Payment, 'protocol' | 'method'>): string {
  return [protocol && PROTOCOLS[protocol], method].filter(Boolean).join(' · ');
}

const CREATED: Column<Payment> = {
  name: 'Created',
  cell: ({ created_at }) => <Time at={created_at} />,
};

const viewOf = ({ payment_id }: Payment): string => `/payments/${payment_id}`;

const COLUMNS: Column<Payment>[] = [
  { name: 'State', cell: ({ status, rejection_reason }) => <Status of={status} reason={rejection_reason} />, onPhone: 'first' },
  {
    name: 'Paid for',
    cell: ({ provider, request, category, rejection_reason }) => (
      <>
        <Url of={request?.url ?? provider} />
        {category !== null && <span class="muted"> ({category})</span>}
        {rejection_reason !== undefined && <span class="bad-text"> {ruleInWords(rejection_reason)}</span>}
      </>
    ),
    onPhone: 'rest',
  },
  { name: 'Protocol', cell: howPaid, onPhone: 'hidden' },
  { name: 'Amount', amount: ({ amount_usdc }) => amount_usdc },
];

const FILTERS: Filter[] = [
  ACCOUNT,
  {
    kind: 'choice',
    name: 'status',
    label: 'State',
    options: stateOptions(['paid', 'paid_unreceipted', 'free', 'unknown', 'rejected', 'failed']),
  },
  { kind: 'choice', name: 'rejection_reason', label: 'Reason', options: PAYMENT_REASONS },
  { kind: 'text', name: 'provider', label: 'Provider', placeholder: 'api.example.com' },
  { kind: 'text', name: 'category', label: 'Category' },
  ...TIMES,
];

const ACCOUNT_COLUMN: Column<Payment> = { name: 'Account', cell: ({ account_id }) => <AccountLink id={account_id} /> };

/** The list of payments. */
export function PaymentsView({ query }: { query: Record<string, string> }): JSX.Element {
  return (
    <FilteredList<Payment>
      title="Payments"
      place="/payments"
      source="/dashboard/data/payments"
      csv="/dashboard/data/payments.csv"
      query={query}
      filters={FILTERS}
      columns={[CREATED, ...COLUMNS.slice(0, 1), ACCOUNT_COLUMN, ...COLUMNS.slice(1)]}
      keyOf={({ payment_id }) => payment_id}
      linkOf={viewOf}
      empty="No payments yet. Agents make them with POST /v1/payments, to APIs that answer 402 Payment Required."
    />
  );
}

/** The payments of a session or a purse. `path` is their list in the API. */
export function PaymentsSection({ path }: { path: string }): JSX.Element {
  const payments = useRows<Payment>(path);
  return (
    <Section title="Payments">
      <Loaded {...payments}>
        {(page) =>
          page.data.length === 0 ? (
            <Empty>No payments yet.</Empty>
          ) : (
            <>
              <Table
                label="Payments"
                rows={page.data}
                keyOf={({ payment_id }) => payment_id}
                linkOf={viewOf}
                columns={[CREATED, ...COLUMNS]}
              />
              <More page={page} more={payments.more} />
            </>
          )
        }
      </Loaded>
    </Section>
  );
}

/** How much of a session's cap or a purse's amount is spent, as a bar and in numbers. */
export function SpentBar({ spent, total, name }: { spent: string; total: string; name: string }): JSX.Element {
  const percent = percentOf(spent, total);
  return (
    <div class="window">
      <div
        class="bar"
        role="meter"
        aria-label={name}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={percent}
        aria-valuetext={`${spent} of ${total} USDC spent`}
      >
        <span class={`spent ${toneOf(percent)}`} style={{ width: `${percent}%` }} />
      </div>
      <p>
        <Usdc amount={spent} /> spent of <Usdc amount={total} />
      </p>
    </div>
  );
}
