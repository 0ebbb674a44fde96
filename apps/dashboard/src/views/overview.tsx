import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { forEach, get } from '../api';
import { useData, useRows, type Data } from '../data';
import type { Account, Overview, Spending } from '../types';
import { Empty, Heading, Link, Loaded, More, Section, Status, Table, Time, Usdc } from '../ui';
import { SettledChart } from './chart';
import { PauseAll } from './pause-all';
import { Window } from './window';

/** The overview of all accounts. */
export function OverviewView({ overview }: { overview: Data<Overview> }): JSX.Element {
  const [hours, setHours] = useState(24);
  return (
    <>
      <Heading title="Overview">
        <PauseAll disabled={overview.data?.accounts === 0} />
      </Heading>
      <Loaded {...overview}>
        {(data) => (
          <>
            <Tiles overview={data} />
            <Section
              title="Settled by hour"
              actions={
                <div class="switch" role="group" aria-label="Hours shown">
                  {[24, 48].map((count) => (
                    <button key={count} type="button" aria-pressed={hours === count} onClick={() => setHours(count)}>
                      {count} h
                    </button>
                  ))}
                </div>
              }
            >
              <SettledChart hours={data.hours.slice(-hours)} />
            </Section>
          </>
        )}
      </Loaded>
      <Windows />
    </>
  );
}

function Tiles({ overview }: { overview: Overview }): JSX.Element {
  const { balance_usdc, accounts, paused_accounts, pending_approvals, undelivered, open_sessions, open_purses } = overview;
  return (
    <ul class="tiles">
      <li>
        <span class="tile-name">Balance of all accounts</span>
        <span class="tile-value">
          <Usdc amount={balance_usdc} />
        </span>
      </li>
      <Tile to="/accounts" name="Accounts" value={accounts} note={paused_accounts > 0 ? `${paused_accounts} paused` : 'none paused'} />
      <Tile to="/approvals" name="Waiting for approval" value={pending_approvals} isUrgent={pending_approvals > 0} />
      <Tile to="/sessions" name="Open sessions" value={open_sessions} />
      <Tile to="/purses" name="Open purses" value={open_purses} />
      <Tile to="/webhooks" name="Failed deliveries" value={undelivered} isUrgent={undelivered > 0} />
    </ul>
  );
}

function Tile({
  to,
  name,
  value,
  note,
  isUrgent = false,
}: {
  to: string;
  name: string;
  value: number;
  note?: string;
  isUrgent?: boolean;
}): JSX.Element {
  return (
    <li class={isUrgent ? 'urgent' : undefined}>
      <Link to={to}>
        <span class="tile-name">{name}</span>
        <span class="tile-value">{value.toLocaleString()}</span>
        {note && <span class="tile-note">{note}</span>}
      </Link>
    </li>
  );
}

/** The accounts with their balances and rolling limits, newest first. */
function Windows(): JSX.Element {
  const accounts = useRows<Account>('/v1/accounts');
  const limited = accounts.data?.data.filter(({ policy }) => policy.max_daily_spend !== null).map(({ account_id }) => account_id) ?? [];
  const spending = useData(`spending ${limited.join()}`, () => spendingOf(limited));
  return (
    <Section title="Spending in the last 24 hours">
      <Loaded {...accounts}>
        {(page) =>
          page.data.length === 0 ? (
            <Empty>
              No accounts yet. <Link to="/accounts">Create the first one.</Link>
            </Empty>
          ) : (
            <>
              <Table
                label="Accounts and what they may still spend"
                rows={page.data}
                keyOf={({ account_id }) => account_id}
                columns={[
                  { name: 'Account', cell: ({ account_id, name }) => <Link to={`/accounts/${account_id}`}>{name}</Link> },
                  { name: 'State', cell: ({ status }) => <Status of={status} /> },
                  {
                    name: 'Balance',
                    isNumber: true,
                    cell: ({ balance_usdc, balance_as_of }) => (
                      <>
                        <Usdc amount={balance_usdc} />
                        {balance_as_of && (
                          <span class="muted as-of">
                            as of <Time at={balance_as_of} />
                          </span>
                        )}
                      </>
                    ),
                  },
                  {
                    name: '24-hour limit',
                    cell: (account) => <WindowCell account={account} spending={spending.data} isKnown={!spending.problem} />,
                  },
                ]}
              />
              <More page={page} more={accounts.more} />
            </>
          )
        }
      </Loaded>
    </Section>
  );
}

function WindowCell({
  account,
  spending,
  isKnown,
}: {
  account: Account;
  spending: Map<string, Spending> | undefined;
  isKnown: boolean;
}): JSX.Element {
  if (account.policy.max_daily_spend === null) return <span class="muted">no limit</span>;
  const known = spending?.get(account.account_id);
  if (known) return <Window spending={known} name={account.name} />;
  return <span class="muted">{spending || !isKnown ? 'not known now' : '…'}</span>;
}

/** The spending of the accounts for which it could be read. */
async function spendingOf(ids: string[]): Promise<Map<string, Spending>> {
  const known = new Map<string, Spending>();
  await forEach(ids, async (id) => known.set(id, await get<Spending>(`/v1/accounts/${id}/spending`)));
  return known;
}
