import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { get } from '../../data/api';
import { formatLimit } from '../../values/money';
import type { ListedAccount, Policy, PolicyFields } from '../../data/types';
import { Choice, Dialog, Form, usePage } from '../../ui';
import { BulkDialog } from './bulk-dialog';

/** The limits of a template. Other fields of a policy stay as they are. */
type Template = Pick<PolicyFields, 'max_single_transfer' | 'max_daily_spend' | 'escalation_threshold'>;

const TEMPLATES: Record<string, Template> = {
  small: { max_single_transfer: 1, max_daily_spend: 10, escalation_threshold: null },
  medium: { max_single_transfer: 25, max_daily_spend: 100, escalation_threshold: 20 },
  large: { max_single_transfer: 250, max_daily_spend: 1_000, escalation_threshold: 100 },
};

/** The copied part of another account's policy: all but its pause, which is about that account alone. */
type Copied = Omit<PolicyFields, 'paused'>;

/** Gives many accounts the same limits, from a template or from another account, and says first what changes. */
export function PolicyForMany({ accounts, onClose }: { accounts: ListedAccount[]; onClose: () => void }): JSX.Element {
  const { accounts: all } = usePage();
  const [source, setSource] = useState('small');
  const [policy, setPolicy] = useState<object>();
  const title = `Set the policy of ${accounts.length === 1 ? 'one account' : `${accounts.length} accounts`}`;
  const selection = { account_ids: accounts.map(({ account_id }) => account_id) };
  const others = all.filter(({ account_id, status }) => status !== 'closed' && !selection.account_ids.includes(account_id));
  const look = async (): Promise<void> => {
    setPolicy(TEMPLATES[source] ?? copied(await get<Policy>(`/v1/accounts/${source}/policy`)));
  };
  if (policy)
    return <BulkDialog title={title} submit="Save" change={{ action: 'set_policy', policy }} selection={selection} onClose={onClose} />;
  return (
    <Dialog title={title} onClose={onClose}>
      <Choice
        label="Template"
        value={source}
        options={[
          ...Object.entries(TEMPLATES).map(([name, template]): [string, string] => [name, inWords(name, template)]),
          ...others.map(({ account_id, name }): [string, string] => [account_id, `The policy of ${name} · …${account_id.slice(-5)}`]),
        ]}
        onChange={setSource}
      />
      <Form send={look} submit="Show what changes" onCancel={onClose}>
        <p class="hint">Nothing is saved yet. A template sets the limits and leaves lists, memo and pause as they are.</p>
      </Form>
    </Dialog>
  );
}

function copied({ paused: _paused, account_id: _id, version: _version, updated_at: _at, ...fields }: Policy): Copied {
  return fields;
}

function inWords(name: string, { max_single_transfer, max_daily_spend, escalation_threshold }: Template): string {
  const usdc = (limit: number | null): string => (limit === null ? 'none' : formatLimit(limit.toFixed(6)));
  const approval = escalation_threshold === null ? 'no approvals' : `approval at or above ${usdc(escalation_threshold)}`;
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}: ${usdc(max_single_transfer)} per transfer, ${usdc(max_daily_spend)} in 24 hours, ${approval}`;
}
