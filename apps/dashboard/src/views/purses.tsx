import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { post, withQuery } from '../api';
import { useGet, useRows } from '../data';
import { changed } from '../live';
import { go } from '../route';
import { stateInWords } from '../state-words';
import type { Purse } from '../types';
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

const STATUSES = ['opening', 'pending_approval', 'open', 'closing', 'closed', 'rejected', 'failed'];

/** What a purse may pay: one host, or any. */
const hostOf = ({ host }: Purse): string => host ?? 'any host';

/** The list of purses. */
export function PursesView({ query }: { query: Record<string, string> }): JSX.Element {
  const purses = useRows<Purse>('/v1/purses', { account_id: query.account_id, status: query.status });
  const [closing, setClosing] = useState<Purse>();
  const filter = (change: Record<string, string>): void =>
    go(withQuery('/purses', { account_id: query.account_id, status: query.status, ...change }), { replace: true });
  return (
    <>
      <Heading title="Purses" />
      <div class="filters">
        <AccountChoice value={query.account_id ?? ''} onChange={(account_id) => filter({ account_id })} />
        <Choice
          label="State"
          value={query.status ?? ''}
          options={[['', 'any'], ...STATUSES.map((status): [string, string] => [status, stateInWords(status)])]}
          onChange={(status) => filter({ status })}
        />
      </div>
      <Loaded {...purses}>
        {(page) =>
          page.data.length === 0 ? (
            <Empty>
              {query.account_id || query.status
                ? 'No purses match these filters.'
                : 'No purses yet. A purse is one on-chain allowance for many x402 payments.'}
            </Empty>
          ) : (
            <>
              <Table
                label="Purses"
                rows={page.data}
                keyOf={({ purse_id }) => purse_id}
                columns={[
                  {
                    name: 'Created',
                    cell: ({ purse_id, created_at }) => (
                      <Link to={`/purses/${purse_id}`}>
                        <Time at={created_at} />
                      </Link>
                    ),
                  },
                  { name: 'State', cell: ({ status, rejection_reason }) => <Status of={status} reason={rejection_reason} /> },
                  { name: 'Account', cell: ({ account_id }) => <AccountLink id={account_id} /> },
                  {
                    name: 'May pay',
                    cell: (purse) => [hostOf(purse), purse.category && `(${purse.category})`].filter(Boolean).join(' '),
                  },
                  { name: 'Spent', isNumber: true, cell: ({ spent_usdc }) => <Usdc amount={spent_usdc} /> },
                  { name: 'Amount', isNumber: true, cell: ({ amount_usdc }) => <Usdc amount={amount_usdc} /> },
                  {
                    name: 'Ends',
                    cell: ({ closed_at, expires_at }) => (closed_at ?? expires_at) !== null && <Time at={closed_at ?? expires_at ?? ''} />,
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
                ]}
              />
              <More page={page} more={purses.more} />
            </>
          )
        }
      </Loaded>
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
  const close = async (): Promise<void> => {
    await post(`/v1/purses/${purse.purse_id}/close`);
    changed();
    onClose();
  };
  return (
    <Dialog title="Close this purse?" onClose={onClose}>
      <Form send={close} submit="Close purse" danger onCancel={onClose}>
        <p>
          <Usdc amount={purse.spent_usdc} /> of <Usdc amount={purse.amount_usdc} /> are spent. The rest is available to{' '}
          <AccountLink id={purse.account_id} /> again, and no more payments can be made out of this purse.
        </p>
      </Form>
    </Dialog>
  );
}
