import type { JSX } from 'preact';
import { useGet } from '../data';
import type { Approval } from '../types';
import { Empty, Facts, Heading, Link, Loaded, AccountLink, Time, Usdc } from '../ui';
import { Decision } from './decision';

const KINDS: Record<Approval['kind'], string> = {
  transfer: 'Transfer',
  session: 'Opening of a session',
  top_up: 'Top-up of a session',
  purse: 'Opening of a purse',
};

/** The orders that wait for approval, the first to expire first. */
export function ApprovalsView(): JSX.Element {
  const approvals = useGet<{ data: Approval[] }>('/dashboard/data/approvals');
  return (
    <>
      <Heading title="Approvals" />
      <Loaded {...approvals}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty>Nothing waits for you. Transfers, sessions and purses at or above an account’s approval threshold appear here.</Empty>
          ) : (
            <ul class="cards">
              {data.map((approval) => (
                <li key={`${approval.kind} ${approval.id}`}>
                  <article aria-label={`${KINDS[approval.kind]} of ${approval.amount_usdc} USDC`}>
                    <header>
                      <p class="card-title">
                        <Usdc amount={approval.amount_usdc} />
                      </p>
                      <p class="muted">
                        {approval.kind === 'transfer' ? (
                          <Link to={`/transfers/${approval.id}`}>{KINDS.transfer}</Link>
                        ) : (
                          KINDS[approval.kind]
                        )}
                      </p>
                    </header>
                    <Facts
                      facts={[
                        ['From', <AccountLink id={approval.account_id} />],
                        ['To', approval.to && <AccountLink id={approval.to} />],
                        ['Provider', approval.provider],
                        ['Memo', approval.memo],
                        ['Category', approval.category],
                        ['Created', <Time at={approval.created_at} />],
                        ['Expires', <Time at={approval.expires_at} />],
                      ]}
                    />
                    <div class="actions">
                      <Decision approval={approval} />
                    </div>
                  </article>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </>
  );
}
