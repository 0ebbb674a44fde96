import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call, post } from '../../data/api';
import { useGet } from '../../data/data';
import { changed } from '../../data/live';
import { formatLimit } from '../../values/money';
import { go } from '../../route';
import type { Webhook } from '../../data/types';
import { AccountLink, Action, Code, Dialog, Facts, Form, Heading, Loaded, ShownOnce, Status, Time, WholeUrl } from '../../ui';
import { Deliveries } from './deliveries';
import { WebhookForm } from './webhook-form';
import { Events, SECRET_HINT, shownState } from './webhooks';

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
