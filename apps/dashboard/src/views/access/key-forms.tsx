/** The forms that create and end API keys. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '../../data/api';
import { changed } from '../../data/live';
import type { ApiKey } from '../../data/types';
import { Choice, Dialog, Field, Form, textOf, useOperatorKey } from '../../ui';
import { AccountPicker } from '../accounts/account-picker';
import { useHosts } from '../accounts/hosts';

/** Days that a key lives. */
const LIVES: [string, string][] = [
  ['30', '30 days'],
  ['90', '90 days'],
  ['365', 'a year'],
  ['', 'never'],
];
const DEFAULT_LIFE = '90';
const DAY_MS = 24 * 60 * 60_000;

/** A field for the life of a key. Returns the member of the request, none for a key without an end, and the field. */
export function useLife(): [() => { expires_at?: string }, JSX.Element] {
  const [days, setDays] = useState(DEFAULT_LIFE);
  const expiry = () => (days === '' ? {} : { expires_at: new Date(Date.now() + Number(days) * DAY_MS).toISOString() });
  return [expiry, <Choice label="Expires" value={days} options={LIVES} onChange={setDays} />];
}

/** The form of a new key. */
export function CreateKey({ onClose, onCreated }: { onClose: () => void; onCreated: (key: ApiKey) => void }): JSX.Element {
  const [type, setType] = useState<ApiKey['type']>('agent');
  const [name, setName] = useState('');
  const [accounts, setAccounts] = useState<string[]>([]);
  const [hosts, hostsField] = useHosts(null);
  const [expiry, lifeField] = useLife();
  const [key, keyField] = useOperatorKey();
  const create = async (): Promise<void> => {
    const wanted = {
      type,
      ...expiry(),
      ...(name.trim() !== '' && { name }),
      ...(type === 'agent' && { account_ids: accounts, allowed_hosts: hosts }),
    };
    const created = await call<ApiKey>('POST', '/v1/api_keys', wanted, type === 'operator' ? key() : {});
    changed();
    onCreated(created);
  };
  return (
    <Dialog title="Create key" onClose={onClose}>
      <Form send={create} submit="Create" onCancel={onClose} disabled={type === 'agent' && accounts.length === 0}>
        <fieldset>
          <legend>Kind</legend>
          <label class="inline">
            <input type="radio" name="kind" checked={type === 'agent'} onChange={() => setType('agent')} /> Agent: spends from the accounts
            chosen below, and changes nothing
          </label>
          <label class="inline">
            <input type="radio" name="kind" checked={type === 'operator'} onChange={() => setType('operator')} /> Operator: may do
            everything
          </label>
        </fieldset>
        <Field label="Name" hint="Optional. For people.">
          {(props) => <input {...props} value={name} onInput={(event) => setName(textOf(event))} maxLength={100} />}
        </Field>
        {lifeField}
        {type === 'operator' && keyField}
        {type === 'agent' && <AccountPicker legend="Accounts" hint="At least one." chosen={accounts} onChange={setAccounts} />}
        {type === 'agent' && hostsField}
      </Form>
    </Dialog>
  );
}

/** The question before a key ends. */
export function Revoke({
  apiKey: { key_id, name, prefix, type },
  isOwn,
  onClose,
}: {
  apiKey: ApiKey;
  isOwn: boolean;
  onClose: () => void;
}): JSX.Element {
  const revoke = async (): Promise<void> => {
    await call('DELETE', `/v1/api_keys/${key_id}`);
    onClose();
    changed();
  };
  return (
    <Dialog title="Revoke this key?" onClose={onClose}>
      <Form send={revoke} submit="Revoke" danger onCancel={onClose}>
        <p>
          {name ?? prefix} ({type}) ends at once, and for good. {isOwn && <strong>You signed in with it, so this session ends too.</strong>}
        </p>
      </Form>
    </Dialog>
  );
}
