import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useGet, useRows } from '../../data/data';
import { useAsked } from '../../route';
import type { Webhook, WebhookHealth } from '../../data/types';
import { Empty, Heading, Loaded, More, ShownOnce, Status, Table, Time, Url } from '../../ui';
import { WebhookForm } from './webhook-form';

export const SECRET_HINT =
  'It signs what is sent to this webhook, and is shown this once: the receiver needs it to tell our events from others’.';

/** Deliveries cause no events, so they are polled. */
const HEALTH_EVERY_MS = 10_000;

/** The list of webhooks. */
export function WebhooksView(): JSX.Element {
  const webhooks = useRows<Webhook>('/v1/webhooks', {}, { everyMs: HEALTH_EVERY_MS });
  const health = useGet<{ data: WebhookHealth[] }>('/dashboard/data/webhooks', { everyMs: HEALTH_EVERY_MS });
  const healthOf = (id: string): WebhookHealth | undefined => health.data?.data.find(({ webhook_id }) => webhook_id === id);
  const [isCreating, setCreating] = useState(false);
  useAsked('create', () => setCreating(true));
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
                linkOf={({ webhook_id }) => `/webhooks/${webhook_id}`}
                columns={[
                  {
                    name: 'Address',
                    cell: ({ url }) => <Url of={url} />,
                  },
                  { name: 'State', cell: (webhook) => <State of={webhook} />, onPhone: 'end' },
                  { name: 'Events', cell: ({ events }) => (events.length === 0 ? 'all' : <Events types={events} />), onPhone: 'rest' },
                  {
                    name: 'Accounts',
                    cell: ({ account_ids }) => (account_ids.length === 0 ? 'all' : account_ids.length),
                    onPhone: 'hidden',
                  },
                  {
                    name: 'Recently delivered',
                    cell: ({ webhook_id }) => <Delivered health={healthOf(webhook_id)} />,
                    onPhone: 'labelled',
                  },
                  { name: 'Last error', cell: ({ webhook_id }) => <LastError health={healthOf(webhook_id)} /> },
                  { name: 'Created', cell: ({ created_at }) => <Time at={created_at} />, onPhone: 'hidden' },
                ]}
              />
              <More page={page} more={webhooks.more} />
            </>
          )
        }
      </Loaded>
      {isCreating && (
        <WebhookForm
          onClose={() => setCreating(false)}
          onSaved={(created) => {
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

/** A webhook that is active and fails shows that. */
export function shownState({ status, health }: Webhook): string {
  return status === 'active' && health === 'failing' ? health : status;
}

/** The state of a webhook; of a failing one also how many of its attempts of the last day were delivered. */
function State({ of }: { of: Webhook }): JSX.Element {
  const { delivered, failed } = of;
  const state = shownState(of);
  return (
    <>
      <Status of={state} /> {state === 'failing' && <span class="bad-text">{`${delivered} of ${delivered + failed}`}</span>}
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

function Delivered({ health }: { health: WebhookHealth | undefined }): JSX.Element {
  if (!health || health.finished === 0) return <span class="muted">none yet</span>;
  const { delivered, finished } = health;
  return <span class={delivered === finished ? undefined : 'bad-text'}>{`${delivered} of ${finished}`}</span>;
}

function LastError({ health }: { health: WebhookHealth | undefined }): JSX.Element | null {
  if (!health?.last_error) return null;
  const { at, status_code, error } = health.last_error;
  return (
    <span class="muted">
      {error ?? status_code} · <Time at={at} />
    </span>
  );
}
