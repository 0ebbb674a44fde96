import type { JSX } from 'preact';
import { ACCOUNT, type Filter } from '../../filters';
import { EVENT_TYPES, type ServiceEvent } from '../../data/types';
import { AccountLink, Code, FilteredList, Time, type Column } from '../../ui';

const FILTERS: Filter[] = [
  { kind: 'choice', name: 'type', label: 'Type', options: [...EVENT_TYPES, 'webhook.test'].map((type): [string, string] => [type, type]) },
  ACCOUNT,
  { kind: 'time', name: 'since', label: 'From' },
];

const COLUMNS: Column<ServiceEvent>[] = [
  { name: 'Time', cell: ({ created_at }) => <Time at={created_at} /> },
  { name: 'Type', cell: ({ type }) => <span class="whole-word">{type}</span>, onPhone: 'first' },
  { name: 'Account', cell: ({ account_id }) => account_id !== null && <AccountLink id={account_id} /> },
  { name: 'Number', cell: ({ sequence }) => sequence, isNumber: true, onPhone: 'labelled' },
  { name: 'Event id', cell: ({ id }) => <Code text={id} />, onPhone: 'hidden' },
  { name: 'Payload', cell: (event) => <Payload event={event} /> },
];

/** The events of the last 30 days, with what webhooks are sent of each. /dashboard/events is the stream of events, so its path is another. */
export function EventsView({ query }: { query: Record<string, string> }): JSX.Element {
  return (
    <FilteredList<ServiceEvent>
      title="Events"
      place="/activity"
      source="/v1/events"
      query={query}
      filters={FILTERS}
      columns={COLUMNS}
      keyOf={({ id }) => id}
      empty="Nothing has happened in the last 30 days."
    />
  );
}

function Payload({ event }: { event: ServiceEvent }): JSX.Element {
  return (
    <details>
      <summary>Show</summary>
      <pre tabIndex={0}>{JSON.stringify(event, null, 2)}</pre>
    </details>
  );
}
