import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { post, withQuery } from '../api';
import { useGet, useRows } from '../data';
import { changed } from '../live';
import { go } from '../route';
import { stateInWords } from '../state-words';
import type { Session } from '../types';
import {
  AccountLink,
  Choice,
  Code,
  Dialog,
  Empty,
  Facts,
  Form,
  Heading,
  Link,
  Loaded,
  More,
  Section,
  Status,
  Table,
  Time,
  Usdc,
} from '../ui';
import { PaymentsSection, SpentBar } from './payments';
import { AccountChoice } from './transfers';

const STATUSES = ['opening', 'pending_approval', 'open', 'closing', 'settled', 'rejected', 'failed'];

/** The list of sessions. */
export function SessionsView({ query }: { query: Record<string, string> }): JSX.Element {
  const sessions = useRows<Session>('/v1/sessions', { account_id: query.account_id, status: query.status });
  const [closing, setClosing] = useState<Session>();
  const filter = (change: Record<string, string>): void =>
    go(withQuery('/sessions', { account_id: query.account_id, status: query.status, ...change }), { replace: true });
  return (
    <>
      <Heading title="Sessions" />
      <div class="filters">
        <AccountChoice value={query.account_id ?? ''} onChange={(account_id) => filter({ account_id })} />
        <Choice
          label="State"
          value={query.status ?? ''}
          options={[['', 'any'], ...STATUSES.map((status): [string, string] => [status, stateInWords(status)])]}
          onChange={(status) => filter({ status })}
        />
      </div>
      <Loaded {...sessions}>
        {(page) =>
          page.data.length === 0 ? (
            <Empty>
              {query.account_id || query.status
                ? 'No sessions match these filters.'
                : 'No sessions yet. A session sets money aside for many small payments to one provider.'}
            </Empty>
          ) : (
            <>
              <Table
                label="Sessions"
                rows={page.data}
                keyOf={({ session_id }) => session_id}
                columns={[
                  {
                    name: 'Created',
                    cell: ({ session_id, created_at }) => (
                      <Link to={`/sessions/${session_id}`}>
                        <Time at={created_at} />
                      </Link>
                    ),
                  },
                  { name: 'State', cell: ({ status, rejection_reason }) => <Status of={status} reason={rejection_reason} /> },
                  { name: 'Account', cell: ({ account_id }) => <AccountLink id={account_id} /> },
                  {
                    name: 'Provider',
                    cell: ({ provider, category }) =>
                      [provider.replace(/^https?:\/\//, ''), category && `(${category})`].filter(Boolean).join(' '),
                  },
                  { name: 'Spent', isNumber: true, cell: ({ running_total_usdc }) => <Usdc amount={running_total_usdc} /> },
                  { name: 'Cap', isNumber: true, cell: ({ cap_usdc }) => <Usdc amount={cap_usdc} /> },
                  {
                    name: 'Ends',
                    cell: ({ closed_at, expires_at }) => (closed_at ?? expires_at) !== null && <Time at={closed_at ?? expires_at ?? ''} />,
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
                ]}
              />
              <More page={page} more={sessions.more} />
            </>
          )
        }
      </Loaded>
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
  const close = async (): Promise<void> => {
    await post(`/v1/sessions/${session.session_id}/close`);
    changed();
    onClose();
  };
  return (
    <Dialog title="Close this session?" onClose={onClose}>
      <Form send={close} submit="Close session" danger onCancel={onClose}>
        <p>
          <Usdc amount={session.running_total_usdc} /> go to {session.provider}, and the rest of <Usdc amount={session.cap_usdc} /> returns
          to <AccountLink id={session.account_id} />. No more payments can be made in it.
        </p>
      </Form>
    </Dialog>
  );
}
