import type { JSX } from 'preact';
import { ACTIONS, changesInWords } from '../../words/audit-words';
import { TIMES, type Filter } from '../../filters';
import type { AuditEntry } from '../../data/types';
import { AccountLink, Code, FilteredList, Link, Time, usePage, type Column } from '../../ui';

const FILTERS: Filter[] = [
  { kind: 'choice', name: 'action', label: 'Action', options: Object.entries(ACTIONS) },
  { kind: 'text', name: 'actor', label: 'API key id' },
  { kind: 'text', name: 'object', label: 'Object', placeholder: 'Id, or host of a provider' },
  ...TIMES,
];

/** The audit log. */
export function AuditView({ query }: { query: Record<string, string> }): JSX.Element {
  const { keyNameOf, nameOf } = usePage();
  const columns: Column<AuditEntry>[] = [
    { name: 'Time', cell: ({ at }) => <Time at={at} /> },
    {
      name: 'Who',
      cell: ({ actor: { key_id }, ip }) => (
        <span title={[key_id, ip].filter(Boolean).join(' from ')}>
          {key_id === null ? 'The service’s command line' : <Link to={`/audit?actor=${key_id}`}>{keyNameOf(key_id)}</Link>}
        </span>
      ),
      onPhone: 'first',
    },
    { name: 'Action', cell: ({ action }) => ACTIONS[action] ?? action },
    { name: 'Object', cell: ({ action, object }) => <AuditedObject action={action} id={object} /> },
    {
      name: 'Changes',
      cell: (entry) => <Changes words={changesInWords(entry, nameOf)} />,
      grows: true,
    },
  ];
  return (
    <FilteredList<AuditEntry>
      title="Audit log"
      place="/audit"
      source="/v1/audit_log"
      query={query}
      filters={FILTERS}
      columns={columns}
      keyOf={({ id }) => id}
      empty="Nothing has been changed yet."
    />
  );
}

/** The changes in one line. Several are opened to be read one by one. */
function Changes({ words }: { words: string[] }): JSX.Element {
  const line = words.join(' · ');
  if (words.length < 2) return <span title={line}>{line}</span>;
  return (
    <details class="changes">
      <summary>{line}</summary>
      <ul>
        {words.map((change) => (
          <li key={change}>{change}</li>
        ))}
      </ul>
    </details>
  );
}

/** The changed object, with a link to its view if it has one. */
export function AuditedObject({ action, id }: { action: AuditEntry['action']; id: string }): JSX.Element | null {
  const [kind = ''] = action.split('.');
  if (kind === 'dashboard') return null;
  if (id.startsWith('acct_')) return <AccountLink id={id} />;
  const place = { transfer: 'transfers', session: 'sessions', top_up: 'sessions', purse: 'purses', webhook: 'webhooks' }[kind];
  if (place === undefined || action === 'webhook.deleted') return <Code text={id} />;
  return (
    <Link to={`/${place}/${id}`}>
      <Code text={id} />
    </Link>
  );
}
