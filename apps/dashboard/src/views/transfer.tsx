import type { JSX } from 'preact';
import { useGet } from '../data';
import type { Transfer } from '../types';
import { Code, Copy, Facts, Heading, Loaded, AccountLink, Section, Status, Time, Usdc } from '../ui';
import { Decision } from './decision';
import { stateInWords } from '../state-words';
import { RULES, ruleInWords } from './rules';

/** A transfer with the rules that it passed, or the rule that it violated and by how much. */
export function TransferView({ id }: { id: string }): JSX.Element {
  const transfer = useGet<Transfer>(`/v1/transfers/${id}`);
  return (
    <>
      <Heading title="Transfer" back={{ to: '/transfers', title: 'Transfers' }}>
        {transfer.data?.status === 'pending_approval' && (
          <Decision
            approval={{
              kind: 'transfer',
              id,
              account_id: transfer.data.from,
              to: transfer.data.to,
              amount_usdc: transfer.data.amount_usdc,
              provider: null,
            }}
          />
        )}
      </Heading>
      <Loaded {...transfer}>
        {(data) => (
          <>
            <Facts
              facts={[
                ['Amount', <Usdc amount={data.amount_usdc} />],
                ['State', <Status of={data.status} reason={data.rejection_reason} />],
                ['From', <AccountLink id={data.from} />],
                ['To', <AccountLink id={data.to} />],
                ['Memo', data.memo],
                ['Category', data.category],
                ['Created', <Time at={data.created_at} />],
                ['Settled', data.settled_at && <Time at={data.settled_at} />],
                ['Approval until', data.approval && <Time at={data.approval.expires_at} />],
                ['Reason given', data.denial_reason],
                ['Why it failed', data.failure_reason],
                ['Transfer id', <Code text={data.transfer_id} />],
                ['Idempotency key', <Code text={data.idempotency_key} />],
                [
                  'Signature',
                  data.tx_signature && (
                    <>
                      <Code text={data.tx_signature} /> <Copy text={data.tx_signature} what="the signature" />{' '}
                      <a href={data.chain_explorer_url} target="_blank" rel="noreferrer">
                        See it in the explorer
                      </a>
                    </>
                  ),
                ],
              ]}
            />
            <Rules transfer={data} />
          </>
        )}
      </Loaded>
    </>
  );
}

type Outcome = 'passed' | 'declined' | 'not asked';

const MARKS: Record<Outcome, string> = { passed: '✓', declined: '✗', 'not asked': '–' };

function Rules({ transfer }: { transfer: Transfer }): JSX.Element | null {
  const { status, rejection_reason: reason, policy } = transfer;
  if (status === 'failed' || status === 'submitted') return null;
  const broken = RULES.findIndex(([rule]) => rule === reason);
  const outcomeOf = (index: number): Outcome => (broken < 0 || index < broken ? 'passed' : index === broken ? 'declined' : 'not asked');
  return (
    <Section title="Rules">
      <p class="muted">
        The chain asks them in this order, and stops at the first that is broken. A rule that the policy does not set is passed.
      </p>
      <ol class="rules">
        {RULES.map(([rule, title], index) => {
          const outcome = outcomeOf(index);
          return (
            <li key={rule} class={outcome.replace(' ', '-')}>
              <span aria-hidden="true">{MARKS[outcome]}</span>
              <div>
                {outcome === 'declined' ? <strong>{ruleInWords(rule)}</strong> : title} <span class="muted">{outcome}</span>
                {outcome === 'declined' && policy && (
                  <Facts
                    facts={[
                      ['Attempted', policy.attempted_usdc && <Usdc amount={policy.attempted_usdc} />],
                      ['Limit', policy.limit_usdc && <Usdc amount={policy.limit_usdc} />],
                      ['Remaining then', policy.remaining_usdc && <Usdc amount={policy.remaining_usdc} />],
                      ['Set aside then', policy.reserved_usdc && <Usdc amount={policy.reserved_usdc} />],
                      ['Possible from', policy.available_at && <Time at={policy.available_at} />],
                      ['Policy version', policy.version],
                    ]}
                  />
                )}
              </div>
            </li>
          );
        })}
        <Approved transfer={transfer} isAsked={broken < 0} />
      </ol>
    </Section>
  );
}

function Approved({ transfer: { status, rejection_reason: reason }, isAsked }: { transfer: Transfer; isAsked: boolean }): JSX.Element {
  const isRefused = reason === 'denied' || reason === 'approval_expired';
  const outcome = !isAsked ? 'not asked' : isRefused ? stateInWords(status, reason) : status === 'pending_approval' ? 'waits' : 'passed';
  return (
    <li class={isRefused ? 'declined' : outcome.replace(' ', '-')}>
      <span aria-hidden="true">{outcome === 'waits' ? '…' : MARKS[isRefused ? 'declined' : isAsked ? 'passed' : 'not asked']}</span>
      <div>
        {isRefused ? <strong>{ruleInWords(reason)}</strong> : 'Approved where the threshold asks for it'}{' '}
        <span class="muted">{outcome}</span>
      </div>
    </li>
  );
}
