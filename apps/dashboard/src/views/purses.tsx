import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useGet } from '../data';
import { stateOptions } from '../state-words';
import type { Purse } from '../types';
import {
  ACCOUNT,
  AccountLink,
  CloseDialog,
  Code,
  Facts,
  FilteredList,
  Heading,
  Link,
  Loaded,
  Section,
  Status,
  Time,
  Usdc,
  type Column,
  type Filter,
} from '../ui';
import { PaymentsSection, SpentBar } from './payments';

const FILTERS: Filter[] = [
  ACCOUNT,
  {
    kind: 'choice',
    name: 'status',
    label: 'State',
    options: stateOptions(['opening', 'pending_approval', 'open', 'closing', 'closed', 'rejected', 'failed']),
  },
];

/** The sellers that a purse may pay: one host, or any. */
const hostOf = ({ host }: Purse): string => host ?? 'any host';

/** The list of purses. */
export function PursesView({ query }: { query: Record<string, string> }): JSX.Element {
  const [closing, setClosing] = useState<Purse>();
  const columns: Column<Purse>[] = [
    {
      name: 'Created',
      cell: ({ purse_id, created_at }) => (
        <Link to={`/purses/${purse_id}`}>
          <Time at={created_at} />
        </Link>
      ),
    },
    { name: 'State', cell: ({ status, rejection_reason }) => <Status of={status} reason={rejection_reason} />, onPhone: 'first' },
    { name: 'Account', cell: ({ account_id }) => <AccountLink id={account_id} /> },
    { name: 'May pay', cell: (purse) => [hostOf(purse), purse.category && `(${purse.category})`].filter(Boolean).join(' ') },
    { name: 'Spent', amount: ({ spent_usdc }) => spent_usdc },
    { name: 'Amount', amount: ({ amount_usdc }) => amount_usdc, onPhone: 'labelled' },
    {
      name: 'Closed or expires',
      cell: ({ closed_at, expires_at }) => (closed_at ?? expires_at) !== null && <Time at={closed_at ?? expires_at ?? ''} />,
      onPhone: 'hidden',
    },
    {
      name: 'Action',
      cell: (purse) =>
        purse.status === 'open' && (
          <button type="button" onClick={() => setClosing(purse)} aria-label={`Close the purse for ${hostOf(purse)}`}>
            Close
          </button>
        ),
    },
  ];
  return (
    <>
      <FilteredList<Purse>
        title="Purses"
        place="/purses"
        source="/v1/purses"
        query={query}
        filters={FILTERS}
        columns={columns}
        keyOf={({ purse_id }) => purse_id}
        empty="No purses yet. A purse is one on-chain allowance for many x402 payments."
      />
      {closing && <ClosePurse purse={closing} onClose={() => setClosing(undefined)} />}
    </>
  );
}

/** A purse with its payments. */
export function PurseView({ id }: { id: string }): JSX.Element {
  const purse = useGet<Purse>(`/v1/purses/${id}`);
  const [isClosing, setClosing] = useState(false);
  return (
    <>
      <Heading title="Purse" back={{ to: '/purses', title: 'Purses' }}>
        {purse.data?.status === 'open' && (
          <button type="button" onClick={() => setClosing(true)}>
            Close
          </button>
        )}
      </Heading>
      <Loaded {...purse}>
        {(data) => (
          <>
            <Section title="Spent">
              <SpentBar spent={data.spent_usdc} total={data.amount_usdc} name="Purse" />
            </Section>
            <Facts
              facts={[
                ['State', <Status of={data.status} reason={data.rejection_reason} />],
                ['Account', <AccountLink id={data.account_id} />],
                ['May pay', hostOf(data)],
                ['Category', data.category],
                ['Returned', <Usdc amount={data.returned_usdc} />],
                ['Created', <Time at={data.created_at} />],
                ['Expires', data.expires_at && <Time at={data.expires_at} />],
                ['Closed', data.closed_at && <Time at={data.closed_at} />],
                ['Purse id', <Code text={data.purse_id} />],
              ]}
            />
            {isClosing && <ClosePurse purse={data} onClose={() => setClosing(false)} />}
          </>
        )}
      </Loaded>
      <PaymentsSection path={`/v1/purses/${id}/payments`} />
    </>
  );
}

function ClosePurse({ purse, onClose }: { purse: Purse; onClose: () => void }): JSX.Element {
  return (
    <CloseDialog what="purse" path={`/v1/purses/${purse.purse_id}`} onClose={onClose}>
      <Usdc amount={purse.spent_usdc} /> of <Usdc amount={purse.amount_usdc} /> are spent. The rest is available to{' '}
      <AccountLink id={purse.account_id} /> again, and no more payments can be made out of this purse.
    </CloseDialog>
  );
}
