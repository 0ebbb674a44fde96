import type { JSX } from 'preact';
import { useRows } from '../data';
import { go } from '../route';
import { withQuery } from '../api';
import { stateInWords } from '../state-words';
import type { Transfer } from '../types';
import { Choice, Empty, Heading, Link, Loaded, More, AccountLink, Status, Table, Time, Usdc, usePage } from '../ui';
import { ruleInWords } from './rules';

const STATUSES = ['pending_approval', 'submitted', 'settled', 'rejected', 'failed'];

/** The list of transfers, by account and state. */
export function TransfersView({ query }: { query: Record<string, string> }): JSX.Element {
  const transfers = useRows<Transfer>('/v1/transfers', { account_id: query.account_id, status: query.status });
  const filter = (change: Record<string, string>): void =>
    go(withQuery('/transfers', { account_id: query.account_id, status: query.status, ...change }), { replace: true });
  return (
    <>
      <Heading title="Transfers" />
      <div class="filters">
        <AccountChoice value={query.account_id ?? ''} onChange={(account_id) => filter({ account_id })} />
        <Choice
          label="State"
          value={query.status ?? ''}
          options={[['', 'any'], ...STATUSES.map((status): [string, string] => [status, stateInWords(status)])]}
          onChange={(status) => filter({ status })}
        />
      </div>
      <Loaded {...transfers}>
        {(page) =>
          page.data.length === 0 ? (
            <Empty>
              {query.account_id || query.status
                ? 'No transfer is like that.'
                : 'No transfers yet. Agents make them with POST /v1/transfers.'}
            </Empty>
          ) : (
            <>
              <Table
                label="Transfers"
                rows={page.data}
                keyOf={({ transfer_id }) => transfer_id}
                columns={[
                  {
                    name: 'When',
                    cell: ({ transfer_id, created_at }) => (
                      <Link to={`/transfers/${transfer_id}`}>
                        <Time at={created_at} />
                      </Link>
                    ),
                  },
                  {
                    name: 'State',
                    cell: ({ status, rejection_reason }) => (
                      <>
                        <Status of={status} reason={rejection_reason} />{' '}
                        {rejection_reason && <span class="muted">{ruleInWords(rejection_reason)}</span>}
                      </>
                    ),
                  },
                  { name: 'From', cell: ({ from }) => <AccountLink id={from} /> },
                  { name: 'To', cell: ({ to }) => <AccountLink id={to} /> },
                  { name: 'Memo', cell: ({ memo, category }) => [memo, category && `(${category})`].filter(Boolean).join(' ') },
                  { name: 'Amount', isNumber: true, cell: ({ amount_usdc }) => <Usdc amount={amount_usdc} /> },
                ]}
              />
              <More page={page} more={transfers.more} />
            </>
          )
        }
      </Loaded>
    </>
  );
}

/** A choice of one account or all. */
export function AccountChoice({ value, onChange }: { value: string; onChange: (id: string) => void }): JSX.Element {
  const { accounts } = usePage();
  return (
    <Choice
      label="Account"
      value={value}
      options={[
        ['', 'any'],
        ...accounts.map(({ account_id, name }): [string, string] => [account_id, `${name} · …${account_id.slice(-5)}`]),
      ]}
      onChange={onChange}
    />
  );
}
