import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { call, newKey } from '../api';
import { useRows } from '../data';
import { formatLimit } from '../money';
import { changed } from '../live';
import { go } from '../route';
import { stateOptions } from '../state-words';
import type { Account } from '../types';
import { Choice, Code, Dialog, Empty, Field, Form, Heading, Link, Loaded, More, Status, Table, Time, Usdc, textOf } from '../ui';
import { PauseAll } from './pause-all';

/** The list of accounts, and the form to create one. */
export function AccountsView({ query }: { query: Record<string, string> }): JSX.Element {
  const accounts = useRows<Account>('/v1/accounts', { status: query.status });
  const [isCreating, setCreating] = useState(false);
  return (
    <>
      <Heading title="Accounts">
        <button type="button" class="primary" onClick={() => setCreating(true)}>
          Create account
        </button>
        <PauseAll disabled={accounts.data?.data.length === 0} />
      </Heading>
      <div class="filters">
        <Choice
          label="State"
          value={query.status ?? ''}
          options={[['', 'any'], ...stateOptions(['active', 'paused'])]}
          onChange={(status) => go(`/accounts${status && `?status=${status}`}`, { replace: true })}
        />
      </div>
      <Loaded {...accounts}>
        {(page) =>
          page.data.length === 0 ? (
            <Empty>
              {query.status
                ? 'No accounts match these filters.'
                : 'No accounts yet. An agent gets one, with a policy that the chain enforces.'}
            </Empty>
          ) : (
            <>
              <Table
                label="Accounts"
                rows={page.data}
                keyOf={({ account_id }) => account_id}
                columns={[
                  { name: 'Name', cell: ({ account_id, name }) => <Link to={`/accounts/${account_id}`}>{name}</Link> },
                  { name: 'Handle', cell: ({ handle }) => <Code text={handle} whole /> },
                  { name: 'State', cell: ({ status }) => <Status of={status} /> },
                  { name: 'Limits', cell: ({ policy }) => <span class="muted">{limits(policy)}</span> },
                  { name: 'Balance', isNumber: true, cell: ({ balance_usdc }) => <Usdc amount={balance_usdc} /> },
                  { name: 'Created', cell: ({ created_at }) => <Time at={created_at} /> },
                ]}
              />
              <More page={page} more={accounts.more} />
            </>
          )
        }
      </Loaded>
      {isCreating && <CreateAccount onClose={() => setCreating(false)} />}
    </>
  );
}

function limits({ max_single_transfer, max_daily_spend }: Account['policy']): string {
  const parts = [
    max_single_transfer !== null && `${formatLimit(max_single_transfer.toFixed(6))} per transfer`,
    max_daily_spend !== null && `${formatLimit(max_daily_spend.toFixed(6))} in 24 hours`,
  ].filter(Boolean);
  return parts.length === 0 ? 'none' : parts.join(', ');
}

function CreateAccount({ onClose }: { onClose: () => void }): JSX.Element {
  const [name, setName] = useState('');
  // Retries with the same name use the same key, so that a creation whose response was lost is not repeated.
  const key = useRef(newKey());
  const rename = (wanted: string): void => {
    setName(wanted);
    key.current = newKey();
  };
  const create = async (): Promise<void> => {
    const account = await call<Account>('POST', '/v1/accounts', { name }, { 'Idempotency-Key': key.current });
    changed();
    onClose();
    go(`/accounts/${account.account_id}`);
  };
  return (
    <Dialog title="Create account" onClose={onClose}>
      <Form send={create} submit="Create" onCancel={onClose}>
        <Field label="Name" hint="For people; it need not be unique. The account begins without limits: set its policy next.">
          {(props) => <input {...props} value={name} onInput={(event) => rename(textOf(event))} required maxLength={100} autoFocus />}
        </Field>
      </Form>
    </Dialog>
  );
}
