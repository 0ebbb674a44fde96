import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { post } from '../api';
import { useRows } from '../data';
import { changed } from '../live';
import { EVENT_TYPES, type Webhook } from '../types';
import { Dialog, Empty, Field, Form, Heading, Link, Loaded, More, ShownOnce, Status, Table, Time, Url, isChecked, textOf } from '../ui';
import { AccountPicker } from './account-picker';

export const SECRET_HINT =
  'It signs what is sent to this webhook, and is shown this once: the receiver needs it to tell our events from others’.';

/** The list of webhooks. */
export function WebhooksView(): JSX.Element {
  const webhooks = useRows<Webhook>('/v1/webhooks');
  const [isCreating, setCreating] = useState(false);
  const [secret, setSecret] = useState<string>();
  return (
    <>
      <Heading title="Webhooks">
        <button type="button" class="primary" onClick={() => setCreating(true)}>
          Create webhook
        </button>
      </Heading>
      <Loaded {...webhooks}>
        {(page) =>
          page.data.length === 0 ? (
            <Empty>No webhooks yet. A webhook is sent what happens to your accounts, as it happens.</Empty>
          ) : (
            <>
              <Table
                label="Webhooks"
                rows={page.data}
                keyOf={({ webhook_id }) => webhook_id}
                columns={[
                  {
                    name: 'Address',
                    cell: ({ webhook_id, url }) => (
                      <Link to={`/webhooks/${webhook_id}`}>
                        <Url of={url} />
                      </Link>
                    ),
                  },
                  { name: 'State', cell: ({ status }) => <Status of={status} />, onPhone: 'end' },
                  { name: 'Events', cell: ({ events }) => (events.length === 0 ? 'all' : <Events types={events} />), onPhone: 'rest' },
                  {
                    name: 'Accounts',
                    cell: ({ account_ids }) => (account_ids.length === 0 ? 'all' : account_ids.length),
                    onPhone: 'hidden',
                  },
                  { name: 'Created', cell: ({ created_at }) => <Time at={created_at} />, onPhone: 'hidden' },
                ]}
              />
              <More page={page} more={webhooks.more} />
            </>
          )
        }
      </Loaded>
      {isCreating && (
        <CreateWebhook
          onClose={() => setCreating(false)}
          onCreated={(created) => {
            setCreating(false);
            setSecret(created.secret);
          }}
        />
      )}
      {secret !== undefined && (
        <ShownOnce title="The webhook’s secret" secret={secret} what="the secret" hint={SECRET_HINT} onClose={() => setSecret(undefined)} />
      )}
    </>
  );
}

/** The types of events, each unbroken. */
export function Events({ types }: { types: string[] }): JSX.Element {
  return (
    <>
      {types.map((type, index) => (
        <span key={type}>
          <span class="whole-word">{type}</span>
          {index < types.length - 1 && ', '}
        </span>
      ))}
    </>
  );
}

function CreateWebhook({ onClose, onCreated }: { onClose: () => void; onCreated: (webhook: Webhook) => void }): JSX.Element {
  const [url, setUrl] = useState('');
  const [events, setEvents] = useState<string[]>([]);
  const [accounts, setAccounts] = useState<string[]>([]);
  const [threshold, setThreshold] = useState('');
  const isValid = threshold === '' || /^\d{1,10}(\.\d{1,6})?$/.test(threshold);
  const create = async (): Promise<void> => {
    const webhook = await post<Webhook>('/v1/webhooks', {
      url: url.trim(),
      events,
      account_ids: accounts,
      low_balance_threshold_usdc: threshold === '' ? null : Number(threshold),
    });
    changed();
    onCreated(webhook);
  };
  return (
    <Dialog title="Create webhook" onClose={onClose}>
      <Form send={create} submit="Create" onCancel={onClose} disabled={!isValid}>
        <Field label="Address" hint="https, and reachable from the open internet.">
          {(props) => (
            <input
              {...props}
              type="url"
              value={url}
              onInput={(event) => setUrl(textOf(event))}
              required
              maxLength={2048}
              placeholder="https://example.com/hook"
              autoFocus
            />
          )}
        </Field>
        <fieldset>
          <legend>Events</legend>
          <p class="hint">None chosen: all.</p>
          <div class="checks">
            {EVENT_TYPES.map((type) => (
              <label key={type} class="inline">
                <input
                  type="checkbox"
                  checked={events.includes(type)}
                  onChange={(event) => setEvents(isChecked(event) ? [...events, type] : events.filter((one) => one !== type))}
                />{' '}
                {type}
              </label>
            ))}
          </div>
        </fieldset>
        <AccountPicker legend="Accounts" hint="None chosen: all, also later ones." chosen={accounts} onChange={setAccounts} />
        <Field
          label="Low balance, USDC"
          hint="Each time an account falls below it, balance.low_threshold is sent. Empty: never."
          problem={isValid ? undefined : 'A number with at most six decimals.'}
        >
          {(props) => <input {...props} value={threshold} onInput={(event) => setThreshold(textOf(event).trim())} inputMode="decimal" />}
        </Field>
      </Form>
    </Dialog>
  );
}
