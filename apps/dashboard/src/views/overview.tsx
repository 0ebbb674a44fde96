import type { JSX } from 'preact';
import { NEEDS, usedPercent, worstFirst, type Need } from '../data/account-needs';
import { type Data, useGet } from '../data/data';
import { hostOf } from '../values/addresses';
import { formatUsdc, solOf } from '../values/money';
import type { ListedAccount, ListedAccounts, Overview, Page, Rent, Webhook } from '../data/types';
import { AccountLink, Brief, Empty, Heading, Link, Loaded, Section, Usdc } from '../ui';
import { SettledSection } from './accounts/chart';
import { PauseAll } from './policies/pause-all';
import { UsageSection } from './money/usage';

/** The overview of all accounts. */
export function OverviewView({ overview, accounts }: { overview: Data<Overview>; accounts: Data<ListedAccounts> }): JSX.Element {
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
            <SettledSection />
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
        <Tile to="/accounts" name="Bytes on chain" value={rent.bytes} note={`${solOf(rent.lamports, 4)} SOL of rent at the present rate`} />
      )}
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

/** How many accounts a group names. The list of accounts has all of them. */
const MAX_NAMED = 6;

/** The accounts that need an operator, by what they need. */
function Attention({ accounts }: { accounts: ListedAccount[] }): JSX.Element {
  const groups = NEEDS.map(([need, title]) => ({ need, title, found: worstFirst(need, accounts) }));
  const shown = groups.filter(({ found }) => found.length > 0);
  const failing = useGet<Page<Webhook>>('/v1/webhooks?limit=100').data?.data.filter(({ health }) => health === 'failing') ?? [];
  if (accounts.length === 0)
    return (
      <Empty>
        No accounts yet. <Link to="/accounts">Create the first one.</Link>
      </Empty>
    );
  if (shown.length + failing.length === 0) return <Empty>Every account has money, a limit, and room under it.</Empty>;
  return (
    <ul class="needs">
      {failing.length > 0 && <FailingWebhooks webhooks={failing} />}
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
                <AccountLink id={account.account_id} /> <Detail need={need} account={account} />
              </li>
            ))}
          </ul>
        </li>
      ))}
    </ul>
  );
}

const TONES: Record<Need, string> = { no_limit: 'loud', at_limit: 'bad', near_limit: 'warn', no_money: 'warn', many_declines: 'warn' };

/** Why an account needs an operator, with the transfers behind it. */
function Detail({ need, account }: { need: Need; account: ListedAccount }): JSX.Element {
  const { account_id, balance_usdc, declined_count, sent_count, last_activity_at } = account;
  if (need === 'many_declines')
    return (
      <Link to={`/transfers?account_id=${account_id}&status=rejected&since=24h`}>{`${declined_count} declined, ${sent_count} sent`}</Link>
    );
  if (need === 'at_limit' || need === 'near_limit')
    return <Link to={`/transfers?account_id=${account_id}&since=24h`}>{`${Math.floor(usedPercent(account) ?? 0)} % used`}</Link>;
  if (need === 'no_limit') return <span class="muted">may spend all of {formatUsdc(balance_usdc)} USDC</span>;
  return <span class="muted">{last_activity_at === null ? 'never used' : ''}</span>;
}

/** The webhooks whose newest attempt failed. */
function FailingWebhooks({ webhooks }: { webhooks: Webhook[] }): JSX.Element {
  return (
    <li class="need bad">
      <h3>
        <Link to="/webhooks">
          Failing webhooks <span class="count">{webhooks.length}</span>
        </Link>
      </h3>
      <ul>
        {webhooks.slice(0, MAX_NAMED).map(({ webhook_id, url, delivered, failed }) => (
          <li key={webhook_id}>
            <Link to={`/webhooks/${webhook_id}`}>{hostOf(url)}</Link>{' '}
            <span class="bad-text">
              {delivered} of {delivered + failed}
            </span>
          </li>
        ))}
      </ul>
    </li>
  );
}
