import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call, everyRow, withQuery } from '../../data/api';
import { useData, useGet } from '../../data/data';
import { ACCOUNT, filtersIn, type Filter } from '../../filters';
import { changed } from '../../data/live';
import { go, useAsked } from '../../route';
import { signedCall } from '../../signing';
import { stateOptions } from '../../words/state-words';
import type { ApiKey, BrowserSession, ChainKey } from '../../data/types';
import {
  Action,
  Code,
  Copy,
  Dialog,
  Empty,
  FilterBar,
  Form,
  Heading,
  Loaded,
  More,
  AccountLink,
  Section,
  ShownOnce,
  Table,
  Time,
  useOperatorKey,
  usePage,
} from '../../ui';
import { CreateKey, Revoke } from './key-forms';
import { LastAddress } from './last-address';

const FILTERS: Filter[] = [
  { kind: 'text', name: 'text', label: 'Name or beginning', placeholder: 'night bot, or aps_ag_…' },
  { kind: 'choice', name: 'type', label: 'Kind', options: stateOptions(['agent', 'operator']) },
  ACCOUNT,
];
const ROWS = 50;
/** Keys that are read and filtered. */
const MAX_KEYS = 1_000;

function matches({ name, prefix, type, account_ids }: ApiKey, query: Record<string, string>): boolean {
  const text = (query.text ?? '').toLowerCase();
  return (
    `${name ?? ''} ${prefix}`.toLowerCase().includes(text) &&
    (!query.type || type === query.type) &&
    (!query.account_id || (account_ids ?? []).includes(query.account_id))
  );
}

/** The list of API keys. */
export function KeysView({ query }: { query: Record<string, string> }): JSX.Element {
  const keys = useData('keys', () => everyRow<ApiKey>('/v1/api_keys', {}, MAX_KEYS));
  const set = filtersIn(FILTERS, query);
  const show = (change: Record<string, string>): void => go(withQuery('/keys', { ...set, ...change }), { replace: true });
  const { signedIn } = usePage();
  const [isCreating, setCreating] = useState(false);
  useAsked('create', () => setCreating(true));
  const [created, setCreated] = useState<string>();
  const [rows, setRows] = useState(ROWS);
  const [revoking, setRevoking] = useState<ApiKey>();
  return (
    <>
      <Heading title="API keys">
        <button type="button" class="primary" onClick={() => setCreating(true)}>
          Create key
        </button>
      </Heading>
      <FilterBar filters={FILTERS} query={set} place="/keys" onChange={show} />
      <Loaded {...keys}>
        {({ data }) => {
          const found = data.filter((key) => matches(key, set));
          return found.length === 0 ? (
            <Empty>{Object.keys(set).length > 0 ? 'No keys match these filters.' : 'No keys.'}</Empty>
          ) : (
            <>
              <Table
                label="API keys"
                rows={found.slice(0, rows)}
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
                    name: 'From',
                    onPhone: 'hidden',
                    cell: (key) => <LastAddress of={key} />,
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
              <More page={{ has_more: found.length > rows }} more={() => setRows(rows + ROWS)} />
            </>
          );
        }}
      </Loaded>
      <ChainKeySection />
      <BrowserSessionsSection />
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

/** The browsers that are signed in with an operator key. */
function BrowserSessionsSection(): JSX.Element {
  const sessions = useGet<{ data: BrowserSession[] }>('/dashboard/data/browser_sessions');
  const { keyNameOf } = usePage();
  const end = async (id: string): Promise<void> => {
    await call('DELETE', `/dashboard/data/browser_sessions/${id}`);
    changed();
  };
  return (
    <Section title="Signed-in browsers">
      <Loaded {...sessions}>
        {({ data }) => (
          <Table
            label="Signed-in browsers"
            rows={data}
            keyOf={({ session_id }) => session_id}
            columns={[
              { name: 'Key', cell: ({ key_id, is_current }) => `${keyNameOf(key_id)}${is_current ? ' (this browser)' : ''}` },
              { name: 'Signed in', onPhone: 'labelled', cell: ({ created_at }) => <Time at={created_at} /> },
              { name: 'Last request', onPhone: 'labelled', cell: ({ last_seen_at }) => <Time at={last_seen_at} /> },
              { name: 'Ends', onPhone: 'hidden', cell: ({ expires_at }) => <Time at={expires_at} /> },
              {
                name: 'Action',
                onPhone: 'end',
                cell: ({ session_id, key_id, created_at }) => (
                  <Action run={() => end(session_id)} label={`End the session of ${keyNameOf(key_id)} from ${created_at}`}>
                    End
                  </Action>
                ),
              },
            ]}
          />
        )}
      </Loaded>
    </Section>
  );
}

/** The key that the operator's accounts obey on chain, and who holds it. */
function ChainKeySection(): JSX.Element {
  const chainKey = useGet<ChainKey>('/v1/operators/me');
  return (
    <Section title="Chain key" actions={chainKey.data && <RotateChainKey isOwn={chainKey.data.chain_key_custody === 'external'} />}>
      <Loaded {...chainKey}>
        {({ chain_key, chain_key_custody, pending_chain_key }) => (
          <>
            <p>
              {chain_key_custody === 'external' ? 'You hold the chain key ' : 'This service holds the chain key '}
              <Code text={chain_key} whole />
              <Copy text={chain_key} what="the chain key" />
            </p>
            {pending_chain_key !== null && (
              <p>
                The accounts are being handed over to <Code text={pending_chain_key} whole />
              </p>
            )}
            <p class="hint">
              The accounts obey this key on chain: it alone can change policies, approve, rotate authorities and close accounts.{' '}
              <a href="/docs/guides/own-chain-key">Holding the chain key yourself</a>
            </p>
          </>
        )}
      </Loaded>
    </Section>
  );
}

/** Gives the operator a new chain key that the service holds, on all its accounts. */
function RotateChainKey({ isOwn }: { isOwn: boolean }): JSX.Element {
  const title = isOwn ? 'Hand the accounts to this service' : 'Rotate chain key';
  const [isAsking, setAsking] = useState(false);
  const close = (): void => setAsking(false);
  const [key, keyField] = useOperatorKey();
  const rotate = async (): Promise<void> => {
    await signedCall('POST', '/v1/operators/rotate_key', {}, isOwn ? {} : key());
    changed();
    close();
  };
  return (
    <>
      <button type="button" onClick={() => setAsking(true)}>
        {title}
      </button>
      {isAsking && (
        <Dialog title={isOwn ? 'Hand the accounts to this service?' : 'Rotate the chain key?'} onClose={close}>
          <Form send={rotate} submit={isOwn ? 'Hand over' : 'Rotate'} onCancel={close}>
            <p>
              {isOwn
                ? 'This service makes a new chain key and holds it. You sign with your key once more; after that it changes nothing, and the service ' +
                  'asks for no signatures.'
                : 'The key that alone may change policies is replaced on chain, on every account. Nothing halts, and API keys stay as they are.'}
            </p>
            {!isOwn && keyField}
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
