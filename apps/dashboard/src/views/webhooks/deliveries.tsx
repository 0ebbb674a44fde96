import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Problem, post } from '../../data/api';
import { useRows } from '../../data/data';
import { go } from '../../route';
import { stateOptions } from '../../words/state-words';
import type { Delivery } from '../../data/types';
import { Action, Choice, Empty, Loaded, More, Notice, Section, Status, Table, Time, textOf } from '../../ui';

/** Deliveries cause no events, so they are polled. */
const POLL_MS = 2_000;

/** The deliveries of a webhook, and what sends them again. */
export function Deliveries({ id, status }: { id: string; status: string }): JSX.Element {
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
