import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call, post } from '../api';
import { useRows } from '../data';
import { changed } from '../live';
import type { ApiKey } from '../types';
import { Code, Dialog, Empty, Field, Form, Heading, Loaded, More, AccountLink, ShownOnce, Table, Time, textOf, usePage } from '../ui';
import { AccountPicker } from './account-picker';

/** The list of API keys. */
export function KeysView(): JSX.Element {
  const keys = useRows<ApiKey>('/v1/api_keys');
  const { signedIn } = usePage();
  const [isCreating, setCreating] = useState(false);
  const [created, setCreated] = useState<string>();
  const [revoking, setRevoking] = useState<ApiKey>();
  return (
    <>
      <Heading title="API keys">
        <button type="button" class="primary" onClick={() => setCreating(true)}>
          Create key
        </button>
        <RotateChainKey />
      </Heading>
      <Loaded {...keys}>
        {(page) =>
          page.data.length === 0 ? (
            <Empty>No keys.</Empty>
          ) : (
            <>
              <Table
                label="API keys"
                rows={page.data}
                keyOf={({ key_id }) => key_id}
                columns={[
                  {
                    name: 'Name',
                    cell: ({ name, key_id }) => `${name ?? 'without a name'}${key_id === signedIn.key_id ? ' (this session)' : ''}`,
                  },
                  { name: 'Begins with', cell: ({ prefix }) => <Code text={`${prefix}…`} />, onPhone: 'hidden' },
                  { name: 'Kind', cell: ({ type }) => type, onPhone: 'second' },
                  { name: 'Accounts', cell: ({ account_ids }) => <Accounts ids={account_ids} />, onPhone: 'labelled' },
                  {
                    name: 'Last used',
                    onPhone: 'labelled',
                    cell: ({ last_used_at }) => (last_used_at ? <Time at={last_used_at} /> : <span class="muted">never</span>),
                  },
                  {
                    name: 'Expires',
                    onPhone: 'hidden',
                    cell: ({ expires_at }) => (expires_at ? <Time at={expires_at} /> : <span class="muted">never</span>),
                  },
                  {
                    name: 'Action',
                    onPhone: 'end',
                    cell: (key) => (
                      <button type="button" onClick={() => setRevoking(key)} aria-label={`Revoke ${key.name ?? key.prefix}`}>
                        Revoke
                      </button>
                    ),
                  },
                ]}
              />
              <More page={page} more={keys.more} />
            </>
          )
        }
      </Loaded>
      {isCreating && (
        <CreateKey
          onClose={() => setCreating(false)}
          onCreated={({ key }) => {
            setCreating(false);
            setCreated(key);
          }}
        />
      )}
      {created !== undefined && (
        <ShownOnce
          title="The new key"
          secret={created}
          what="the key"
          hint="It is shown this once, and kept nowhere: only its hash is."
          onClose={() => setCreated(undefined)}
        />
      )}
      {revoking && <Revoke apiKey={revoking} isOwn={revoking.key_id === signedIn.key_id} onClose={() => setRevoking(undefined)} />}
    </>
  );
}

/** Gives the operator a new chain key, on all its accounts. */
function RotateChainKey(): JSX.Element {
  const [isAsking, setAsking] = useState(false);
  const close = (): void => setAsking(false);
  const rotate = async (): Promise<void> => {
    await post('/v1/operators/rotate_key');
    changed();
    close();
  };
  return (
    <>
      <button type="button" onClick={() => setAsking(true)}>
        Rotate chain key
      </button>
      {isAsking && (
        <Dialog title="Rotate the chain key?" onClose={close}>
          <Form send={rotate} submit="Rotate" onCancel={close}>
            <p>
              The key that alone may change policies is replaced on chain, on every account. Nothing halts, and API keys stay as they are.
            </p>
          </Form>
        </Dialog>
      )}
    </>
  );
}

function Accounts({ ids }: { ids: string[] | null }): JSX.Element {
  if (ids === null) return <>all</>;
  const [first] = ids;
  return ids.length === 1 && first !== undefined ? <AccountLink id={first} /> : <span title={ids.join('\n')}>{ids.length} accounts</span>;
}

function CreateKey({ onClose, onCreated }: { onClose: () => void; onCreated: (key: ApiKey) => void }): JSX.Element {
  const [type, setType] = useState<ApiKey['type']>('agent');
  const [name, setName] = useState('');
  const [accounts, setAccounts] = useState<string[]>([]);
  const create = async (): Promise<void> => {
    const key = await post<ApiKey>('/v1/api_keys', {
      type,
      ...(name.trim() !== '' && { name }),
      ...(type === 'agent' && { account_ids: accounts }),
    });
    changed();
    onCreated(key);
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
        <Field label="Name" hint="For people; may be empty.">
          {(props) => <input {...props} value={name} onInput={(event) => setName(textOf(event))} maxLength={100} />}
        </Field>
        {type === 'agent' && <AccountPicker legend="Accounts" hint="At least one." chosen={accounts} onChange={setAccounts} />}
      </Form>
    </Dialog>
  );
}

function Revoke({
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
