import type { JSX } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import { useGet, useRows } from '../../data/data';
import { formatLimit, formatMicro, roundedUsdc, toMicro } from '../../values/money';
import { followRowKeys } from '../../row-keys';
import type { Approval, AuditEntry, ListedAccount } from '../../data/types';
import { AccountLink, Empty, Heading, Loaded, More, Section, Status, Table, Time, Usdc, usePage, type Column } from '../../ui';
import { AuditedObject } from '../access/audit';
import { Decision, DecideMany } from './decision';
import { NotifyMe } from '../notify';

const KINDS: Record<Approval['kind'], string> = {
  transfer: 'Transfer',
  session: 'Opening of a session',
  top_up: 'Top-up of a session',
  purse: 'Opening of a purse',
};

/** The orders that wait for approval, the first to expire first, and the decisions of before. */
export function ApprovalsView(): JSX.Element {
  const approvals = useGet<{ data: Approval[] }>('/dashboard/data/approvals');
  return (
    <>
      <Heading title="Approvals">
        <NotifyMe />
      </Heading>
      <Loaded {...approvals}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty>Nothing waits for you. Transfers, sessions and purses at or above an account’s approval limit appear here.</Empty>
          ) : (
            <Waiting approvals={data} />
          )
        }
      </Loaded>
      <Decisions />
    </>
  );
}

/** A session may have several orders that wait: its opening and top-ups. */
function keyOf({ kind, id }: Approval): string {
  return `${kind} ${id}`;
}

function viewOf({ kind, id }: Approval): string {
  return `/${kind === 'top_up' ? 'session' : kind}s/${id}`;
}

/** The orders, one line each, and the keys that decide them. */
function Waiting({ approvals }: { approvals: Approval[] }): JSX.Element {
  const { accounts } = usePage();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  // With the rows: an effect runs after they are shown, and a key pressed until then would be lost.
  useLayoutEffect(() => followRowKeys('Approvals'), []);
  const choose = (keys: string[], isChosen: boolean): void =>
    setChosen((old) => new Set(isChosen ? [...old, ...keys] : [...old].filter((each) => !keys.includes(each))));
  const accountOf = ({ account_id }: Approval): ListedAccount | undefined => accounts.find((each) => each.account_id === account_id);
  const selected: Column<Approval> = {
    name: 'Selected',
    isControl: true,
    onPhone: 'first',
    cell: (approval) => (
      <input
        type="checkbox"
        aria-label={`Select ${KINDS[approval.kind]} of ${approval.amount_usdc} USDC`}
        checked={chosen.has(keyOf(approval))}
        onChange={({ currentTarget }) => choose([keyOf(approval)], currentTarget.checked)}
      />
    ),
  };
  return (
    <>
      <DecideMany
        chosen={approvals.filter((each) => chosen.has(keyOf(each)))}
        count={approvals.length}
        onAll={(isChosen) => choose(approvals.map(keyOf), isChosen)}
        onDone={() => setChosen(new Set())}
      />
      <Table
        label="Approvals"
        rows={approvals}
        keyOf={keyOf}
        linkOf={viewOf}
        columns={[
          selected,
          { name: 'Amount', amount: ({ amount_usdc }) => amount_usdc, onPhone: 'first' },
          { name: 'From', cell: ({ account_id }) => <AccountLink id={account_id} />, isLink: true },
          { name: 'To', cell: (approval) => <Recipient approval={approval} /> },
          {
            name: 'Memo',
            cell: ({ memo, category, kind }) =>
              [kind !== 'transfer' && KINDS[kind], memo, category && `(${category})`].filter(Boolean).join(' '),
            onPhone: 'rest',
          },
          { name: 'Rule', cell: (approval) => whyItWaits(accountOf(approval)), onPhone: 'hidden' },
          {
            name: 'Left afterwards',
            isNumber: true,
            unit: 'USDC',
            cell: (approval) => <Left of={approval} account={accountOf(approval)} />,
            onPhone: 'labelled',
          },
          { name: 'Expires', cell: ({ expires_at }) => <Time at={expires_at} />, onPhone: 'labelled' },
          {
            name: 'Action',
            cell: (approval) => (
              <span class="row-actions">
                <Decision approval={approval} />
              </span>
            ),
          },
        ]}
      />
      <p class="hint keys">
        <kbd>j</kbd> <kbd>k</kbd> next and previous, <kbd>a</kbd> approve, <kbd>d</kbd> deny, <kbd>x</kbd> select
      </p>
    </>
  );
}

function Recipient({ approval: { to, provider, has_paid_before } }: { approval: Approval }): JSX.Element | string {
  if (to === null) return provider ?? 'any provider';
  return (
    <>
      <AccountLink id={to} />{' '}
      {has_paid_before === false && (
        <span class="status wait" title="The first payment to this recipient">
          new
        </span>
      )}
    </>
  );
}

function whyItWaits(account: ListedAccount | undefined): string {
  if (!account) return '';
  const { escalation_threshold: threshold } = account;
  return threshold === null ? 'policy changed since' : `≥ ${formatLimit(threshold.toFixed(6))}`;
}

/** Amount that the account could still spend after the order: the smaller of its balance and what is left of its 24-hour limit. */
function Left({ of, account }: { of: Approval; account: ListedAccount | undefined }): JSX.Element | null {
  if (!account) return null;
  const { max_daily_spend, sent_usdc, reserved_usdc, balance_usdc } = account;
  const amount = toMicro(of.amount_usdc);
  const balance = toMicro(balance_usdc) - amount;
  const limit =
    max_daily_spend === null ? null : toMicro(max_daily_spend.toFixed(6)) - toMicro(sent_usdc) - toMicro(reserved_usdc) - amount;
  if (balance < 0n) return <Missing usdc={formatMicro(-balance)} />;
  if (limit !== null && limit < 0n) return <span class="status bad">above the 24-hour limit</span>;
  return <Usdc amount={formatMicro(limit !== null && limit < balance ? limit : balance)} hasUnit={false} />;
}

function Missing({ usdc }: { usdc: string }): JSX.Element {
  return (
    <span class="status bad" title={`${usdc} USDC`}>
      {roundedUsdc(usdc)} missing
    </span>
  );
}

/** The approvals and denials, newest first. */
function Decisions(): JSX.Element {
  const decisions = useRows<AuditEntry>('/dashboard/data/decisions');
  const { keyNameOf } = usePage();
  return (
    <Section title="Decided">
      <Loaded {...decisions}>
        {(page) =>
          page.data.length === 0 ? (
            <Empty>Nothing has been approved or denied yet.</Empty>
          ) : (
            <>
              <Table
                label="Decided"
                rows={page.data}
                keyOf={({ id }) => id}
                columns={[
                  { name: 'Time', cell: ({ at }) => <Time at={at} /> },
                  { name: 'Decision', cell: ({ action }) => <Decided action={action} />, onPhone: 'first' },
                  { name: 'Order', cell: ({ action, object }) => <AuditedObject action={action} id={object} /> },
                  { name: 'From', cell: ({ after }) => typeof after?.account_id === 'string' && <AccountLink id={after.account_id} /> },
                  { name: 'By', cell: ({ actor }) => keyNameOf(actor.key_id) },
                  { name: 'Reason', cell: ({ after }) => (typeof after?.reason === 'string' ? after.reason : '') },
                  { name: 'Amount', amount: ({ after }) => (typeof after?.amount_usdc === 'string' ? after.amount_usdc : null) },
                ]}
              />
              <More page={page} more={decisions.more} />
            </>
          )
        }
      </Loaded>
    </Section>
  );
}

function Decided({ action }: { action: string }): JSX.Element {
  return action.endsWith('.approved') ? <span class="status good">Approved</span> : <Status of="rejected" reason="denied" />;
}
