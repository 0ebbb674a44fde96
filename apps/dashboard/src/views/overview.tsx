import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { NEEDS, needsOf, usedPercent, type Need } from '../account-needs';
import { type Data, useGet } from '../data';
import { formatUsdc } from '../money';
import type { ListedAccount, ListedAccounts, Overview, Rent } from '../types';
import { AccountLink, Brief, Empty, Heading, Link, Loaded, Section, Switch, Usdc } from '../ui';
import { SettledChart } from './chart';
import { PauseAll } from './pause-all';
import { UsageSection } from './usage';

/** The overview of all accounts. */
export function OverviewView({ overview, accounts }: { overview: Data<Overview>; accounts: Data<ListedAccounts> }): JSX.Element {
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
            <Section title="Needs attention">
              <Loaded {...accounts}>{({ data: listed }) => <Attention accounts={listed} />}</Loaded>
            </Section>
            <Section
              title="Settled by hour"
              actions={
                <Switch
                  label="Hours shown"
                  options={[
                    [24, '24 h'],
                    [48, '48 h'],
                  ]}
                  value={hours}
                  onChange={setHours}
                />
              }
            >
              <SettledChart hours={data.hours.slice(-hours)} />
            </Section>
            <UsageSection />
          </>
        )}
      </Loaded>
    </>
  );
}

function Tiles({ overview }: { overview: Overview }): JSX.Element {
  const { balance_usdc, accounts, paused_accounts, pending_approvals, undelivered, failing_webhooks, open_sessions, open_purses } =
    overview;
  const { data: rent } = useGet<Rent>('/dashboard/data/rent');
  return (
    <ul class="tiles">
      <li>
        <span class="tile-name">Balance of all accounts</span>
        <span class="tile-value">
          <Brief.Provider value={{ is: true, inLink: false }}>
            <Usdc amount={balance_usdc} />
          </Brief.Provider>
        </span>
      </li>
      <Tile to="/accounts" name="Accounts" value={accounts} note={paused_accounts > 0 ? `${paused_accounts} paused` : 'none paused'} />
      <Tile to="/approvals" name="Waiting for approval" value={pending_approvals} isUrgent={pending_approvals > 0} />
      <Tile to="/sessions" name="Open sessions" value={open_sessions} />
      <Tile to="/purses" name="Open purses" value={open_purses} />
      <Tile to="/webhooks" name="Failing webhooks" value={failing_webhooks} isUrgent={failing_webhooks > 0} />
      <Tile to="/webhooks" name="Failed deliveries" value={undelivered} isUrgent={undelivered > 0} />
      {rent && (
        <Tile to="/accounts" name="Bytes on chain" value={rent.bytes} note={`${solOf(rent.lamports)} SOL of rent at the present rate`} />
      )}
    </ul>
  );
}

const LAMPORTS_DIGITS = 9;

/** Lamports in SOL, to four decimals. */
function solOf(lamports: string): string {
  const digits = lamports.padStart(LAMPORTS_DIGITS + 1, '0');
  return `${digits.slice(0, -LAMPORTS_DIGITS)}.${digits.slice(-LAMPORTS_DIGITS, -LAMPORTS_DIGITS + 4)}`;
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

/** How many accounts a group names. The list of accounts has all of them. */
const MAX_NAMED = 6;

/** The accounts that need an operator, by what they need. */
function Attention({ accounts }: { accounts: ListedAccount[] }): JSX.Element {
  const groups = NEEDS.map(([need, title]) => ({ need, title, found: accounts.filter((account) => needsOf(account).includes(need)) }));
  const shown = groups.filter(({ found }) => found.length > 0);
  if (accounts.length === 0)
    return (
      <Empty>
        No accounts yet. <Link to="/accounts">Create the first one.</Link>
      </Empty>
    );
  if (shown.length === 0) return <Empty>Every account has money, a limit, and room under it.</Empty>;
  return (
    <ul class="needs">
      {shown.map(({ need, title, found }) => (
        <li key={need} class={`need ${TONES[need]}`}>
          <h3>
            <Link to={`/accounts?needs=${need}`}>
              {title} <span class="count">{found.length}</span>
            </Link>
          </h3>
          <ul>
            {found.slice(0, MAX_NAMED).map((account) => (
              <li key={account.account_id}>
                <AccountLink id={account.account_id} /> <span class="muted">{detailOf(need, account)}</span>
              </li>
            ))}
          </ul>
        </li>
      ))}
    </ul>
  );
}

const TONES: Record<Need, string> = { no_limit: 'loud', at_limit: 'bad', near_limit: 'warn', no_money: 'warn', many_declines: 'warn' };

function detailOf(need: Need, account: ListedAccount): string {
  if (need === 'no_limit') return `may spend all of ${formatUsdc(account.balance_usdc)} USDC`;
  if (need === 'at_limit' || need === 'near_limit') return `${Math.floor(usedPercent(account) ?? 0)} % used`;
  if (need === 'many_declines') return `${account.declined_count} declined, ${account.sent_count} sent`;
  return account.last_activity_at === null ? 'never used' : '';
}
