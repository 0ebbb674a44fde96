import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useGet, useRows } from '../data';
import { formatLimit, formatMicro, toMicro } from '../money';
import type { Approval, AuditEntry } from '../types';
import { AccountLink, Empty, Facts, Heading, Link, Loaded, More, Section, Status, Table, Time, Usdc, usePage } from '../ui';
import { AuditedObject } from './audit';
import { Decision, DecideMany } from './decision';
import { NotifyMe } from './notify';

const KINDS: Record<Approval['kind'], string> = {
  transfer: 'Transfer',
  session: 'Opening of a session',
  top_up: 'Top-up of a session',
  purse: 'Opening of a purse',
};

/** The orders that wait for approval, the first to expire first, and the decisions of before. */
export function ApprovalsView(): JSX.Element {
  const approvals = useGet<{ data: Approval[] }>('/dashboard/data/approvals');
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const choose = (id: string, isChosen: boolean): void =>
    setChosen((old) => new Set(isChosen ? [...old, id] : [...old].filter((each) => each !== id)));
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
            <>
              {data.length > 1 && (
                <DecideMany chosen={data.filter((each) => chosen.has(keyOf(each)))} onDone={() => setChosen(new Set())} />
              )}
              <ul class="cards">
                {data.map((approval) => (
                  <li key={keyOf(approval)}>
                    <Card
                      approval={approval}
                      isChoosable={data.length > 1}
                      isChosen={chosen.has(keyOf(approval))}
                      onChoose={(isChosen) => choose(keyOf(approval), isChosen)}
                    />
                  </li>
                ))}
              </ul>
            </>
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

interface CardProps {
  approval: Approval;
  isChoosable: boolean;
  isChosen: boolean;
  onChoose: (isChosen: boolean) => void;
}

function Card({ approval, isChoosable, isChosen, onChoose }: CardProps): JSX.Element {
  const { accounts, keyNameOf } = usePage();
  const account = accounts.find(({ account_id }) => account_id === approval.account_id);
  const what = `${KINDS[approval.kind]} of ${approval.amount_usdc} USDC`;
  return (
    <article aria-label={what}>
      <header>
        <p class="card-title">
          {isChoosable && (
            <input
              type="checkbox"
              aria-label={`Choose ${what}`}
              checked={isChosen}
              onChange={({ currentTarget }) => onChoose(currentTarget.checked)}
            />
          )}{' '}
          <Usdc amount={approval.amount_usdc} />
        </p>
        <p class="muted">
          {approval.kind === 'transfer' ? <Link to={`/transfers/${approval.id}`}>{KINDS.transfer}</Link> : KINDS[approval.kind]}
        </p>
      </header>
      <Facts
        facts={[
          ['From', <AccountLink id={approval.account_id} />],
          ['To', approval.to && <Recipient approval={approval} to={approval.to} />],
          ['Provider', approval.provider],
          ['Memo', approval.memo],
          ['Category', approval.category],
          ['Why it waits', account && whyItWaits(account.escalation_threshold)],
          ['Left of the 24-hour limit', account && leftOf(account, approval)],
          ['Balance after it', account && balanceAfter(account.balance_usdc, approval.amount_usdc)],
          ['Created by', approval.created_by === null ? null : keyNameOf(approval.created_by)],
          ['Created', <Time at={approval.created_at} />],
          ['Expires', <Time at={approval.expires_at} />],
        ]}
      />
      <div class="actions">
        <Decision approval={approval} />
      </div>
    </article>
  );
}

function Recipient({ approval, to }: { approval: Approval; to: string }): JSX.Element {
  return (
    <>
      <AccountLink id={to} /> {approval.has_paid_before === false && <span class="status wait">first payment to this recipient</span>}
    </>
  );
}

function whyItWaits(threshold: number | null): string {
  return threshold === null ? 'The policy has changed since' : `Approval at or above ${formatLimit(threshold.toFixed(6))} USDC`;
}

interface Figures {
  max_daily_spend: number | null;
  sent_usdc: string;
  reserved_usdc: string;
}

function leftOf({ max_daily_spend, sent_usdc, reserved_usdc }: Figures, { amount_usdc }: Approval): JSX.Element | string {
  if (max_daily_spend === null) return 'no limit';
  const left = toMicro(max_daily_spend.toFixed(6)) - toMicro(sent_usdc) - toMicro(reserved_usdc);
  const shown = formatMicro(left < 0n ? 0n : left);
  return (
    <>
      <Usdc amount={shown} /> {left < toMicro(amount_usdc) && <span class="status bad">less than this amount</span>}
    </>
  );
}

function balanceAfter(balance: string, amount: string): JSX.Element {
  const after = toMicro(balance) - toMicro(amount);
  if (after < 0n) return <span class="status bad">{formatMicro(-after)} USDC are missing</span>;
  return <Usdc amount={formatMicro(after)} />;
}

/** Who approved and denied what, newest first. */
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
