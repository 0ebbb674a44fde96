import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Problem, call, post } from '../../data/api';
import { useGet, useRows } from '../../data/data';
import { changed } from '../../data/live';
import { formatLimit } from '../../values/money';
import { go } from '../../route';
import { stateOptions } from '../../words/state-words';
import type { Delivery, Webhook } from '../../data/types';
import {
  Action,
  Choice,
  Code,
  Dialog,
  Empty,
  Facts,
  Form,
  Heading,
  Loaded,
  More,
  Notice,
  AccountLink,
  Section,
  ShownOnce,
  Status,
  Table,
  Time,
  WholeUrl,
  textOf,
} from '../../ui';
import { WebhookForm } from './webhook-form';
import { Events, SECRET_HINT, shownState } from './webhooks';

/** Deliveries cause no events, so they are polled. */
const POLL_MS = 2_000;
const HEALTH_EVERY_MS = 10_000;

/** A webhook and its deliveries. */
export function WebhookView({ id, query }: { id: string; query: Record<string, string> }): JSX.Element {
  const webhook = useGet<Webhook>(`/v1/webhooks/${id}`, { everyMs: HEALTH_EVERY_MS });
  return (
    <>
      <Heading title="Webhook" back={{ to: '/webhooks', title: 'Webhooks' }}>
        {webhook.data && <WebhookActions webhook={webhook.data} />}
      </Heading>
      <Loaded {...webhook}>
        {(data) => (
          <>
            <Facts
              facts={[
                ['Address', <WholeUrl of={data.url} />, 'wide'],
                ['State', <HealthState webhook={data} />, data.failing_since === null ? undefined : 'wide'],
                ['Events', data.events.length === 0 ? 'all' : <Events types={data.events} />],
                ['Accounts', data.account_ids.length === 0 ? 'all' : <AccountList ids={data.account_ids} />],
                [
                  'Low balance',
                  data.low_balance_threshold_usdc === null
                    ? 'never sent'
                    : `below ${formatLimit(data.low_balance_threshold_usdc.toFixed(6))} USDC`,
                ],
                ['Created', <Time at={data.created_at} />],
                ['Webhook id', <Code text={data.webhook_id} />],
              ]}
            />
            <Deliveries id={id} status={query.status ?? ''} />
          </>
        )}
      </Loaded>
    </>
  );
}

function HealthState({ webhook }: { webhook: Webhook }): JSX.Element {
  const { failing_since: since, failed } = webhook;
  return (
    <>
      <Status of={shownState(webhook)} />
      {since !== null && (
        <span class="muted">
          {' '}
          since <Time at={since} />, {failed} failed in the last 24 hours
        </span>
      )}
    </>
  );
}

function AccountList({ ids }: { ids: string[] }): JSX.Element {
  return (
    <ul class="plain">
      {ids.map((id) => (
        <li key={id}>
          <AccountLink id={id} />
        </li>
      ))}
    </ul>
  );
}

function WebhookActions({ webhook }: { webhook: Webhook }): JSX.Element {
  const { webhook_id: id, status } = webhook;
  const [asking, setAsking] = useState<'edit' | 'rotate' | 'delete'>();
  const [secret, setSecret] = useState<string>();
  const close = (): void => setAsking(undefined);
  const path = `/v1/webhooks/${id}`;
  const after = async (work: Promise<unknown>): Promise<void> => {
    await work;
    changed();
  };
  const rotate = async (): Promise<void> => {
    const { secret: fresh } = await post<Webhook>(`${path}/rotate_secret`);
    close();
    setSecret(fresh);
  };
  const remove = async (): Promise<void> => {
    await call('DELETE', path);
    close();
    go('/webhooks');
    changed();
  };
  return (
    <>
      <Action run={() => after(post(`${path}/test`))}>Send a test</Action>
      <Action run={() => after(call('PATCH', path, { status: status === 'paused' ? 'active' : 'paused' }))}>
        {status === 'paused' ? 'Resume' : 'Pause'}
      </Action>
      <button type="button" onClick={() => setAsking('edit')}>
        Edit
      </button>
      <button type="button" onClick={() => setAsking('rotate')}>
        Rotate secret
      </button>
      <button type="button" class="danger" onClick={() => setAsking('delete')}>
        Delete
      </button>
      {asking === 'edit' && <WebhookForm webhook={webhook} onClose={close} onSaved={close} />}
      {asking === 'rotate' && (
        <Dialog title="Rotate the secret?" onClose={close}>
          <Form send={rotate} submit="Rotate" onCancel={close}>
            <p>A new secret signs from now on. For 24 hours the old one signs too, so that the receiver can change over.</p>
          </Form>
        </Dialog>
      )}
      {asking === 'delete' && (
        <Dialog title="Delete this webhook?" onClose={close}>
          <Form send={remove} submit="Delete" danger onCancel={close}>
            <p>It is sent nothing more, and its deliveries are no longer shown.</p>
          </Form>
        </Dialog>
      )}
      {secret !== undefined && (
        <ShownOnce
          title="The webhook’s new secret"
          secret={secret}
          what="the secret"
          hint={SECRET_HINT}
          onClose={() => setSecret(undefined)}
        />
      )}
    </>
  );
}

function Deliveries({ id, status }: { id: string; status: string }): JSX.Element {
  const deliveries = useRows<Delivery>(`/v1/webhooks/${id}/deliveries`, { status }, { everyMs: POLL_MS });
  const [said, setSaid] = useState<string>();
  const [since, setSince] = useState('');
  const retry = async (): Promise<void> => {
    const { count } = await post<{ count: number }>(`/v1/webhooks/${id}/retry`);
    setSaid(count === 0 ? 'Nothing waits.' : `${count === 1 ? 'One delivery is' : `${count} deliveries are`} sent now.`);
    await deliveries.reload();
  };
  const replayAll = async (): Promise<void> => {
    const range = since === '' ? {} : { since: new Date(since).toISOString() };
    const { replayed } = await post<{ replayed: number }>(`/v1/webhooks/${id}/replay`, range);
    setSaid(
      replayed === 0 ? 'Nothing was undelivered.' : `${replayed === 1 ? 'One delivery is' : `${replayed} deliveries are`} sent again.`,
    );
    await deliveries.reload();
  };
  return (
    <Section
      title="Deliveries"
      actions={
        <>
          <Choice
            label="State"
            value={status}
            options={[['', 'All'], ...stateOptions(['pending', 'delivered', 'undelivered'])]}
            onChange={(wanted) => go(`/webhooks/${id}${wanted && `?status=${wanted}`}`, { replace: true })}
          />
          <label class="inline">
            since{' '}
            <input type="datetime-local" value={since} onInput={(event) => setSince(textOf(event))} aria-label="Replay events since" />
          </label>
          <Action run={retry}>Retry all waiting</Action>
          <Action run={replayAll}>{since === '' ? 'Replay all undelivered' : 'Replay undelivered since then'}</Action>
        </>
      }
    >
      {said !== undefined && <Notice tone="good">{said}</Notice>}
      <Loaded {...deliveries}>
        {(page) =>
          page.data.length === 0 ? (
            <Empty>{status ? 'No deliveries match these filters.' : 'No deliveries yet. Send a test to see whether it arrives.'}</Empty>
          ) : (
            <>
              <Table
                label="Deliveries"
                rows={page.data}
                keyOf={({ delivery_id }) => delivery_id}
                columns={[
                  {
                    name: 'Event',
                    cell: ({ event_type, event_id }) => (
                      <span title={event_id} class="whole-word">
                        {event_type}
                      </span>
                    ),
                  },
                  { name: 'Created', cell: ({ created_at }) => <Time at={created_at} /> },
                  { name: 'State', cell: (delivery) => <State delivery={delivery} />, onPhone: 'end' },
                  { name: 'Attempts', cell: ({ attempts }) => <Attempts attempts={attempts} /> },
                  {
                    name: 'Action',
                    cell: (delivery) => <Replay delivery={delivery} reload={deliveries.reload} />,
                  },
                ]}
              />
              <More page={page} more={deliveries.more} />
            </>
          )
        }
      </Loaded>
    </Section>
  );
}

function State({ delivery: { status, next_attempt_at, attempts } }: { delivery: Delivery }): JSX.Element {
  return (
    <>
      <Status of={status} />
      {status === 'pending' && attempts.length > 0 && next_attempt_at !== null && (
        <span class="muted">
          {' '}
          again <Time at={next_attempt_at} />
        </span>
      )}
    </>
  );
}

function Attempts({ attempts }: { attempts: Delivery['attempts'] }): JSX.Element {
  if (attempts.length === 0) return <span class="muted">none yet</span>;
  const last = attempts.at(-1);
  return (
    <details>
      <summary>
        {last?.attempt} <span class="muted">· {last?.status_code ?? last?.error}</span>
      </summary>
      <ol class="attempts">
        {attempts.map(({ attempt, at, status_code, duration_ms, error, response_excerpt }) => (
          <li key={attempt} value={attempt}>
            <Time at={at} /> · {status_code ?? 'no answer'} · {duration_ms} ms
            {error !== null && <span class="bad-text"> · {error}</span>}
            {response_excerpt !== null && response_excerpt !== '' && <pre tabIndex={0}>{response_excerpt}</pre>}
          </li>
        ))}
      </ol>
    </details>
  );
}

/** Sends a delivery: one that waits now, a final one again. */
function Replay({
  delivery: { delivery_id, event_type, status },
  reload,
}: {
  delivery: Delivery;
  reload: () => Promise<void>;
}): JSX.Element {
  const isWaiting = status === 'pending';
  const name = isWaiting ? 'Send now' : 'Replay';
  const replay = async (): Promise<void> => {
    try {
      await post(`/v1/deliveries/${delivery_id}/${isWaiting ? 'send' : 'replay'}`);
    } catch (problem) {
      // The delivery was sent meanwhile, or is pending already, as intended.
      if (!(problem instanceof Problem) || problem.status !== 409) throw problem;
    }
    await reload();
  };
  return (
    <Action run={replay} label={`${name} ${event_type}`}>
      {name}
    </Action>
  );
}
