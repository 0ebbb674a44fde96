import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { post } from '../../data/api';
import { changed } from '../../data/live';
import type { ApiKey } from '../../data/types';
import { Dialog, Field, Form, ShownOnce, textOf } from '../../ui';
import { useLife } from '../access/key-forms';
import type { ActionProps } from './action-props';

/** Creates an API key for the agent of this account alone. */
export function IssueKey({ account: { account_id, name: accountName }, onClose }: ActionProps): JSX.Element {
  const [name, setName] = useState(accountName);
  const [expiry, lifeField] = useLife();
  const [created, setCreated] = useState<string>();
  const create = async (): Promise<void> => {
    const { key } = await post<ApiKey>('/v1/api_keys', { type: 'agent', name, account_ids: [account_id], ...expiry() });
    changed();
    setCreated(key);
  };
  if (created !== undefined)
    return (
      <ShownOnce
        title={`The key of ${accountName}`}
        secret={created}
        what="the key"
        hint="It is shown once. The service stores its hash alone."
        onClose={onClose}
      />
    );
  return (
    <Dialog title={`Issue a key for ${accountName}`} onClose={onClose}>
      <Form send={create} submit="Issue" onCancel={onClose}>
        <p>The key spends from this account within its policy, and changes nothing.</p>
        <Field label="Name" hint="For people, such as the machine that has it.">
          {(props) => <input {...props} value={name} onInput={(event) => setName(textOf(event))} required maxLength={100} />}
        </Field>
        {lifeField}
      </Form>
    </Dialog>
  );
}
