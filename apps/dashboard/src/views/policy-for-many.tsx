import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call, forEach, get } from '../api';
import { formatLimit } from '../money';
import type { ListedAccount, Policy, PolicyFields } from '../types';
import { Choice, Dialog, Form, Notice, usePage } from '../ui';
import { changePolicies } from './pausing';

/** The limits of a template. Other fields of a policy stay as they are. */
type Template = Pick<PolicyFields, 'max_single_transfer' | 'max_daily_spend' | 'escalation_threshold'>;

const TEMPLATES: Record<string, Template> = {
  small: { max_single_transfer: 1, max_daily_spend: 10, escalation_threshold: null },
  medium: { max_single_transfer: 25, max_daily_spend: 100, escalation_threshold: 20 },
  large: { max_single_transfer: 250, max_daily_spend: 1_000, escalation_threshold: 100 },
};

/** What a policy of another account is copied with: all but its pause, which is about that account alone. */
type Copied = Omit<PolicyFields, 'paused'>;

/** The sentences for an account before its policy is changed. */
interface Preview {
  account: ListedAccount;
  changes: string[];
}

/** Gives many accounts the same limits, from a template or from another account, and says first what changes for each. */
export function PolicyForMany({ accounts, onClose }: { accounts: ListedAccount[]; onClose: () => void }): JSX.Element {
  const { accounts: all } = usePage();
  const [source, setSource] = useState('small');
  const [previews, setPreviews] = useState<Preview[]>();
  const [wanted, setWanted] = useState<object>({});
  const others = all.filter(({ account_id, status }) => status !== 'closed' && !accounts.some((each) => each.account_id === account_id));
  const choose = (next: string): void => {
    setSource(next);
    setPreviews(undefined);
  };
  const preview = async (): Promise<void> => {
    const policy = TEMPLATES[source] ?? copied(await get<Policy>(`/v1/accounts/${source}/policy`));
    const found = new Map<string, string[]>();
    const failed = await forEach(accounts, async ({ account_id }) => {
      const path = `/v1/accounts/${account_id}/policy`;
      found.set(account_id, (await call<{ changes: string[] }>('PUT', path, policy, { 'Dry-Run': 'true' })).changes);
    });
    if (failed[0]) throw failed[0].problem;
    setWanted(policy);
    setPreviews(accounts.map((account) => ({ account, changes: found.get(account.account_id) ?? [] })));
  };
  const save = async (): Promise<void> => {
    await changePolicies(accounts, () => wanted);
    onClose();
  };
  return (
    <Dialog title={`Set the policy of ${accounts.length === 1 ? 'one account' : `${accounts.length} accounts`}`} onClose={onClose}>
      <Choice
        label="Template"
        value={source}
        options={[
          ...Object.entries(TEMPLATES).map(([name, template]): [string, string] => [name, inWords(name, template)]),
          ...others.map(({ account_id, name }): [string, string] => [account_id, `The policy of ${name} · …${account_id.slice(-5)}`]),
        ]}
        onChange={choose}
      />
      {previews === undefined ? (
        <Form send={preview} submit="Show what changes" onCancel={onClose}>
          <p class="hint">Nothing is saved yet. A template sets the limits and leaves lists, memo and pause as they are.</p>
        </Form>
      ) : (
        <Form send={save} submit="Save" onCancel={onClose} disabled={previews.every(({ changes }) => changes.length === 0)}>
          <Notice>
            <ul class="previews">
              {previews.map(({ account, changes }) => (
                <li key={account.account_id}>
                  <strong>{account.name}</strong>: {changes.length === 0 ? 'nothing changes.' : changes.join(' ')}
                </li>
              ))}
            </ul>
          </Notice>
        </Form>
      )}
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
