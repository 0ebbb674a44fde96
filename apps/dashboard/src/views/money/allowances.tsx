import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { hostOf } from '../../values/addresses';
import { useGet } from '../../data/data';
import { ACCOUNT } from '../../filters';
import { stateOptions } from '../../words/state-words';
import type { Purse, Session } from '../../data/types';
import {
  AccountLink,
  CloseDialog,
  Code,
  Facts,
  FilteredList,
  Heading,
  Loaded,
  Provider,
  Section,
  Status,
  Time,
  Usdc,
  type Column,
  usePage,
} from '../../ui';
import { ChannelsSection } from './channels';
import { PaymentsSection, SpentBar } from './payments';

/** The differences between sessions and purses. */
interface Kind<T> {
  /** Paths have its plural. */
  noun: 'session' | 'purse';
  title: string;
  empty: string;
  /** The state of one that has ended. */
  ended: 'settled' | 'closed';
  idOf(allowance: T): string;
  /** The column of whom it may pay. */
  payee: Column<T>;
  /** Whom it may pay, in the name of a button. */
  nameOf(allowance: T): string;
  /** The name of its amount. */
  amountName: string;
  amountOf(allowance: T): string;
  spentOf(allowance: T): string;
  facts(allowance: T): [string, ComponentChildren][];
  /** The effect of closing it. */
  closing(allowance: T): JSX.Element;
  /** The content of its page beside its payments. */
  more?(allowance: T): ComponentChildren;
}

const SESSION: Kind<Session> = {
  noun: 'session',
  title: 'Sessions',
  empty: 'No sessions yet. A session sets money aside for many small payments to one provider.',
  ended: 'settled',
  idOf: ({ session_id }) => session_id,
  payee: { name: 'Provider', cell: ({ provider, category }) => <Provider of={provider} category={category} /> },
  nameOf: ({ provider }) => `with ${provider}`,
  amountName: 'Cap',
  amountOf: ({ cap_usdc }) => cap_usdc,
  spentOf: ({ running_total_usdc }) => running_total_usdc,
  facts: ({ provider, payee, category, settled_usdc }) => [
    ['Provider', provider],
    ['Payee', <Code text={payee} />],
    ['Category', category],
    ['Settled', <Usdc amount={settled_usdc} />],
  ],
  closing: ({ running_total_usdc, provider, cap_usdc, account_id }) => (
    <>
      <Usdc amount={running_total_usdc} /> go to {hostOf(provider)}, and the rest of <Usdc amount={cap_usdc} /> returns to{' '}
      <AccountLink id={account_id} />. No more payments can be made in it.
    </>
  ),
};

/** The sellers that a purse may pay: one host, or any. */
const sellersOf = ({ host }: Purse): string => host ?? 'any host';

const PURSE: Kind<Purse> = {
  noun: 'purse',
  title: 'Purses',
  empty: 'No purses yet. A purse is an amount for many x402 payments.',
  ended: 'closed',
  idOf: ({ purse_id }) => purse_id,
  payee: {
    name: 'May pay',
    cell: (purse) =>
      [sellersOf(purse), purse.kind === 'channel' && 'by channels', purse.category && `(${purse.category})`].filter(Boolean).join(' '),
  },
  nameOf: (purse) => `for ${sellersOf(purse)}`,
  amountName: 'Amount',
  amountOf: ({ amount_usdc }) => amount_usdc,
  spentOf: ({ spent_usdc }) => spent_usdc,
  facts: (purse) => [
    ['Kind', purse.kind === 'channel' ? 'channels to metered sellers' : 'allowance'],
    ['May pay', sellersOf(purse)],
    ['Category', purse.category],
  ],
  closing: ({ spent_usdc, amount_usdc, account_id, kind }) => (
    <>
      <Usdc amount={spent_usdc} /> of <Usdc amount={amount_usdc} /> are spent. The rest is available to <AccountLink id={account_id} />{' '}
      again{kind === 'channel' && ' once the last channel is gone'}, and no more payments can be made out of this purse.
    </>
  ),
  more: ({ purse_id, kind }) => kind === 'channel' && <ChannelsSection path={`/v1/purses/${purse_id}/channels`} />,
};

export const SessionsView = ({ query }: { query: Record<string, string> }): JSX.Element => <AllowanceList kind={SESSION} query={query} />;
export const SessionView = ({ id }: { id: string }): JSX.Element => <AllowancePage kind={SESSION} id={id} />;
export const PursesView = ({ query }: { query: Record<string, string> }): JSX.Element => <AllowanceList kind={PURSE} query={query} />;
export const PurseView = ({ id }: { id: string }): JSX.Element => <AllowancePage kind={PURSE} id={id} />;

/** A list of sessions or purses. */
function AllowanceList<T extends Session | Purse>({ kind, query }: { kind: Kind<T>; query: Record<string, string> }): JSX.Element {
  const [closing, setClosing] = useState<T>();
  const columns: Column<T>[] = [
    {
      name: 'Created',
      cell: ({ created_at }) => <Time at={created_at} />,
    },
    { name: 'State', cell: ({ status, rejection_reason }) => <Status of={status} reason={rejection_reason} />, onPhone: 'first' },
    { name: 'Account', cell: ({ account_id }) => <AccountLink id={account_id} /> },
    kind.payee,
    { name: 'Spent', amount: kind.spentOf },
    { name: kind.amountName, amount: kind.amountOf, onPhone: 'labelled' },
    {
      name: 'Closed or expires',
      cell: ({ closed_at, expires_at }) => (closed_at ?? expires_at) !== null && <Time at={closed_at ?? expires_at ?? ''} />,
      onPhone: 'hidden',
    },
    {
      name: 'Action',
      cell: (allowance) =>
        allowance.status === 'open' && (
          <button type="button" onClick={() => setClosing(allowance)} aria-label={`Close the ${kind.noun} ${kind.nameOf(allowance)}`}>
            Close
          </button>
        ),
    },
  ];
  const states = stateOptions(['opening', 'pending_approval', 'open', 'closing', kind.ended, 'rejected', 'failed']);
  return (
    <>
      <FilteredList<T>
        title={kind.title}
        place={`/${kind.noun}s`}
        linkOf={(allowance) => `/${kind.noun}s/${kind.idOf(allowance)}`}
        source={`/v1/${kind.noun}s`}
        query={query}
        filters={[ACCOUNT, { kind: 'choice', name: 'status', label: 'State', options: states }]}
        columns={columns}
        keyOf={kind.idOf}
        empty={kind.empty}
      />
      {closing && <Close kind={kind} allowance={closing} onClose={() => setClosing(undefined)} />}
    </>
  );
}

/** A session or a purse with its payments. */
function AllowancePage<T extends Session | Purse>({ kind, id }: { kind: Kind<T>; id: string }): JSX.Element {
  const allowance = useGet<T>(`/v1/${kind.noun}s/${id}`);
  const [isClosing, setClosing] = useState(false);
  const { nameOf } = usePage();
  const noun = `${kind.noun[0]?.toUpperCase()}${kind.noun.slice(1)}`;
  return (
    <>
      <Heading
        title={allowance.data ? `${noun} of ${nameOf(allowance.data.account_id)}${hostIn(allowance.data)}` : allowance.problem && noun}
        state={allowance.data && <Status of={allowance.data.status} reason={allowance.data.rejection_reason} />}
        back={{ to: `/${kind.noun}s`, title: kind.title }}
      >
        {allowance.data?.status === 'open' && (
          <button type="button" onClick={() => setClosing(true)}>
            Close
          </button>
        )}
      </Heading>
      <Loaded {...allowance}>
        {(data) => (
          <>
            <Section title="Spent">
              <SpentBar spent={kind.spentOf(data)} total={kind.amountOf(data)} name={noun} />
            </Section>
            <Facts
              facts={[
                ['Account', <AccountLink id={data.account_id} />],
                ...kind.facts(data),
                ['Returned', <Usdc amount={data.returned_usdc} />],
                ['Created', <Time at={data.created_at} />],
                ['Expires', data.expires_at && <Time at={data.expires_at} />],
                ['Closed', data.closed_at && <Time at={data.closed_at} />],
                [`${noun} id`, <Code text={kind.idOf(data)} />],
              ]}
            />
            {kind.more?.(data)}
            {isClosing && <Close kind={kind} allowance={data} onClose={() => setClosing(false)} />}
          </>
        )}
      </Loaded>
      <PaymentsSection path={`/v1/${kind.noun}s/${id}/payments`} />
    </>
  );
}

/** The host that a session or a purse is for: " at api.example.com". */
function hostIn(allowance: Session | Purse): string {
  const at = 'provider' in allowance ? allowance.provider : allowance.host;
  return at === null ? '' : ` at ${hostOf(at)}`;
}

function Close<T>({ kind, allowance, onClose }: { kind: Kind<T>; allowance: T; onClose: () => void }): JSX.Element {
  return (
    <CloseDialog what={kind.noun} path={`/v1/${kind.noun}s/${kind.idOf(allowance)}`} onClose={onClose}>
      {kind.closing(allowance)}
    </CloseDialog>
  );
}
