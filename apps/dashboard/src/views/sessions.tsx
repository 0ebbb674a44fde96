import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useGet } from '../data';
import { hostOf } from '../addresses';
import { stateOptions } from '../state-words';
import type { Session } from '../types';
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
  Provider,
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
    options: stateOptions(['opening', 'pending_approval', 'open', 'closing', 'settled', 'rejected', 'failed']),
  },
];

/** The list of sessions. */
export function SessionsView({ query }: { query: Record<string, string> }): JSX.Element {
  const [closing, setClosing] = useState<Session>();
  const columns: Column<Session>[] = [
    {
      name: 'Created',
      cell: ({ session_id, created_at }) => (
        <Link to={`/sessions/${session_id}`}>
          <Time at={created_at} />
        </Link>
      ),
    },
    { name: 'State', cell: ({ status, rejection_reason }) => <Status of={status} reason={rejection_reason} />, onPhone: 'first' },
    { name: 'Account', cell: ({ account_id }) => <AccountLink id={account_id} /> },
    { name: 'Provider', cell: ({ provider, category }) => <Provider of={provider} category={category} /> },
    { name: 'Spent', amount: ({ running_total_usdc }) => running_total_usdc },
    { name: 'Cap', amount: ({ cap_usdc }) => cap_usdc, onPhone: 'labelled' },
    {
      name: 'Closed or expires',
      cell: ({ closed_at, expires_at }) => (closed_at ?? expires_at) !== null && <Time at={closed_at ?? expires_at ?? ''} />,
      onPhone: 'hidden',
    },
    {
      name: 'Action',
      cell: (session) =>
        session.status === 'open' && (
          <button type="button" onClick={() => setClosing(session)} aria-label={`Close the session with ${session.provider}`}>
            Close
          </button>
        ),
    },
  ];
  return (
    <>
      <FilteredList<Session>
        title="Sessions"
        place="/sessions"
        source="/v1/sessions"
        query={query}
        filters={FILTERS}
        columns={columns}
        keyOf={({ session_id }) => session_id}
        empty="No sessions yet. A session sets money aside for many small payments to one provider."
      />
      {closing && <CloseSession session={closing} onClose={() => setClosing(undefined)} />}
    </>
  );
}

/** A session with its payments. */
export function SessionView({ id }: { id: string }): JSX.Element {
  const session = useGet<Session>(`/v1/sessions/${id}`);
  const [isClosing, setClosing] = useState(false);
  return (
    <>
      <Heading title="Session" back={{ to: '/sessions', title: 'Sessions' }}>
        {session.data?.status === 'open' && (
          <button type="button" onClick={() => setClosing(true)}>
            Close
          </button>
        )}
      </Heading>
      <Loaded {...session}>
        {(data) => (
          <>
            <Section title="Spent">
              <SpentBar spent={data.running_total_usdc} total={data.cap_usdc} name="Session" />
            </Section>
            <Facts
              facts={[
                ['State', <Status of={data.status} reason={data.rejection_reason} />],
                ['Account', <AccountLink id={data.account_id} />],
                ['Provider', data.provider],
                ['Payee', <Code text={data.payee} />],
                ['Category', data.category],
                ['Settled', <Usdc amount={data.settled_usdc} />],
                ['Returned', <Usdc amount={data.returned_usdc} />],
                ['Created', <Time at={data.created_at} />],
                ['Expires', data.expires_at && <Time at={data.expires_at} />],
                ['Closed', data.closed_at && <Time at={data.closed_at} />],
                ['Session id', <Code text={data.session_id} />],
              ]}
            />
            {isClosing && <CloseSession session={data} onClose={() => setClosing(false)} />}
          </>
        )}
      </Loaded>
      <PaymentsSection path={`/v1/sessions/${id}/payments`} />
    </>
  );
}

function CloseSession({ session, onClose }: { session: Session; onClose: () => void }): JSX.Element {
  return (
    <CloseDialog what="session" path={`/v1/sessions/${session.session_id}`} onClose={onClose}>
      <Usdc amount={session.running_total_usdc} /> go to {hostOf(session.provider)}, and the rest of <Usdc amount={session.cap_usdc} />{' '}
      returns to <AccountLink id={session.account_id} />. No more payments can be made in it.
    </CloseDialog>
  );
}
