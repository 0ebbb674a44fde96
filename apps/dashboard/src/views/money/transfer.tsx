import type { JSX } from 'preact';
import { withQuery } from '../../data/api';
import { shortened } from '../../values/addresses';
import { useGet } from '../../data/data';
import { formatUsdc } from '../../values/money';
import type { AuditEntry, Page, Policy, Transfer } from '../../data/types';
import { Code, Facts, Heading, Loaded, AccountLink, Section, Status, Time, TimeLine, Usdc, usePage, type Step } from '../../ui';
import { Decision } from './decision';
import { stateInWords } from '../../words/state-words';
import { RULES, ruleInWords } from '../policies/rules';

/** A transfer with the rules that it passed, or the rule that it violated and by how much. */
export function TransferView({ id }: { id: string }): JSX.Element {
  const transfer = useGet<Transfer>(`/v1/transfers/${id}`);
  const { keyNameOf } = usePage();
  const title = useTitle(transfer.data);
  return (
    <>
      <Heading
        title={title ?? (transfer.problem && 'Transfer')}
        state={transfer.data && <Status of={transfer.data.status} reason={transfer.data.rejection_reason} />}
        back={{ to: '/transfers', title: 'Transfers' }}
      >
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
            <TimeLine steps={stepsOf(data, keyNameOf)} />
            <Facts
              facts={[
                ['Amount', <Usdc amount={data.amount_usdc} />],
                ['From', <AccountLink id={data.from} />],
                ['To', <AccountLink id={data.to} />],
                ['Memo', data.memo],
                ['Category', data.category],
                ['Reference', data.reference],
                ['Reason given', data.denial_reason],
                ['Why it failed', data.failure_reason],
                ['Transfer id', <Code text={data.transfer_id} />],
                ['Idempotency key', <Code text={data.idempotency_key} />],
                [
                  'Signature',
                  data.tx_signature && (
                    <>
                      <Code text={data.tx_signature} what="the signature" />{' '}
                      <a href={data.chain_explorer_url} target="_blank" rel="noreferrer">
                        See it in the explorer
                      </a>
                    </>
                  ),
                  'wide',
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

/** "25.00 USDC to Acme Hosting". */
function useTitle(transfer: Transfer | undefined): string | undefined {
  const { nameOf } = usePage();
  return transfer && `${formatUsdc(transfer.amount_usdc)} USDC to ${shortened(nameOf(transfer.to))}`;
}

/** Events of a transfer. */
function stepsOf(transfer: Transfer, keyNameOf: (id: string | null) => string): (Step | false | null | undefined)[] {
  const { status, rejection_reason: reason, created_at, created_by, approved_at, approved_by, approval, settled_at } = transfer;
  return [
    { what: 'Created', at: created_at, by: created_by && keyNameOf(created_by) },
    approval && status === 'pending_approval' && { what: 'Waits for approval until', at: approval.expires_at, tone: 'wait' },
    approved_at ? { what: 'Approved', at: approved_at, by: approved_by && keyNameOf(approved_by), tone: 'good' } : null,
    settled_at ? { what: 'Settled', at: settled_at, tone: 'good' } : null,
    status === 'rejected' &&
      !settled_at &&
      reason !== 'denied' &&
      reason !== 'approval_expired' && { what: ruleInWords(reason ?? ''), at: created_at, tone: 'bad' },
  ];
}

type Outcome = 'passed' | 'declined' | 'not checked' | 'not set';

const MARKS: Record<Outcome, string> = { passed: '✓', declined: '✗', 'not checked': '–', 'not set': '–' };

/** The fields of a policy that make an order wait for approval. */
const APPROVAL_LIMITS = ['escalation_threshold', 'approval_above_daily_sum'] as const;
/** The rules that a policy may set or not. */
const OPTIONAL_RULES = [
  'valid_until',
  'max_single_transfer',
  'allowed_counterparties',
  'categories',
  'require_memo',
  'max_daily_spend',
  'max_monthly_spend',
  'max_lifetime_spend',
  ...APPROVAL_LIMITS,
] as const;

/** The rules that a policy does not set. */
function unsetRules(policy: Policy): string[] {
  return OPTIONAL_RULES.filter((rule) => (policy[rule] ?? false) === false);
}

function Rules({ transfer }: { transfer: Transfer }): JSX.Element | null {
  const { status, rejection_reason: reason, policy } = transfer;
  const current = useGet<Policy>(`/v1/accounts/${transfer.from}/policy`, { account: transfer.from }).data;
  if (status === 'failed' || status === 'submitted') return null;
  const broken = RULES.findIndex(([rule]) => rule === reason);
  // Which rules were set is known if the policy is still the one of the transfer.
  const isSame = current !== undefined && current.updated_at <= transfer.created_at;
  const unset = isSame ? unsetRules(current) : [];
  const outcomeOf = (index: number): Outcome => {
    if (index === broken) return 'declined';
    if (broken >= 0 && index > broken) return 'not checked';
    return unset.includes(RULES[index]?.[0] ?? '') ? 'not set' : 'passed';
  };
  return (
    <Section title="Rules">
      <p class="muted">
        The chain checks them in this order, and stops at the first that is broken.
        {current !== undefined && !isSame && ' The policy has changed since, so a rule that was not set then is shown as passed.'}
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
        <Approved transfer={transfer} isChecked={broken < 0} isSet={!APPROVAL_LIMITS.every((limit) => unset.includes(limit))} />
      </ol>
    </Section>
  );
}

interface ApprovedProps {
  transfer: Transfer;
  isChecked: boolean;
  isSet: boolean;
}

/** Whether an operator approved or denied the transfer, and who and when. */
function Approved({ transfer, isChecked, isSet }: ApprovedProps): JSX.Element {
  const { transfer_id, status, rejection_reason: reason, approved_by, approved_at } = transfer;
  const isRefused = reason === 'denied' || reason === 'approval_expired';
  const isWaiting = status === 'pending_approval';
  const passed = isSet ? 'passed' : 'not set';
  const outcome = !isChecked ? 'not checked' : isRefused ? stateInWords(status, reason) : isWaiting ? 'waits' : passed;
  return (
    <li class={isRefused ? 'declined' : outcome.replace(' ', '-')}>
      <span aria-hidden="true">{isWaiting ? '…' : isRefused ? MARKS.declined : isChecked && isSet ? MARKS.passed : '–'}</span>
      <div>
        {isRefused ? <strong>{ruleInWords(reason)}</strong> : 'Approved where the approval limit asks for it'}{' '}
        {approved_by && approved_at ? (
          <span class="muted">
            <ByWhom keyId={approved_by} at={approved_at} />
          </span>
        ) : reason === 'denied' ? (
          <Denial id={transfer_id} />
        ) : (
          <span class="muted">{outcome}</span>
        )}
      </div>
    </li>
  );
}

/** The operator key that denied a transfer, from the audit log. */
function Denial({ id }: { id: string }): JSX.Element | null {
  const { data } = useGet<Page<AuditEntry>>(withQuery('/v1/audit_log', { object: id, action: 'transfer.denied', limit: 1 }));
  const entry = data?.data[0];
  return entry?.actor.key_id ? (
    <span class="muted">
      <ByWhom keyId={entry.actor.key_id} at={entry.at} />
    </span>
  ) : null;
}

function ByWhom({ keyId, at }: { keyId: string; at: string }): JSX.Element {
  const { keyNameOf } = usePage();
  return (
    <>
      by {keyNameOf(keyId)} at <Time at={at} />
    </>
  );
}
