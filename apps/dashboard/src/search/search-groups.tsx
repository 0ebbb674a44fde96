/** Contents of the search box: local hits first, then what the service found. */
import type { JSX } from 'preact';
import { get } from '../data/api';
import { hostOf } from '../values/addresses';
import { useData } from '../data/data';
import { placeGroups, OVERVIEW } from '../places';
import { localHits, type LocalGroup } from './search-local';
import type { ApiKey, Fleet, Page, ProviderPin, Search, Webhook } from '../data/types';
import { Status, Time, Usdc, usePage } from '../ui';

const MATCHES: Record<string, string> = {
  reference: 'by reference',
  idempotency_key: 'by idempotency key',
  signature: 'by signature',
};

/** A line of the results. */
export interface Hit {
  to: string;
  content: JSX.Element;
}

export interface Group {
  title: string;
  hits: Hit[];
}

const ACTIONS: LocalGroup = {
  title: 'Actions',
  hits: [
    { to: '/accounts?do=create', name: 'Create account', more: 'new agent' },
    { to: '/keys?do=create', name: 'Create API key', more: 'new issue' },
    { to: '/webhooks?do=create', name: 'Create webhook', more: 'new' },
    { to: '/fleets?do=create', name: 'Create fleet', more: 'new' },
  ],
};

type Known = { keys: ApiKey[]; webhooks: Webhook[]; providers: ProviderPin[]; fleets: Fleet[] };
const NONE: Known = { keys: [], webhooks: [], providers: [], fleets: [] };

/** The newest keys, webhooks, providers and fleets, read when the box is first used. */
export function useKnown(isUsed: boolean): Known {
  const { data } = useData<Known>(`known ${String(isUsed)}`, async () => {
    if (!isUsed) return NONE;
    const all = async <T,>(path: string): Promise<T[]> => (await get<Page<T>>(`${path}?limit=100`)).data;
    const [keys, webhooks, providers, fleets] = await Promise.all([
      all<ApiKey>('/v1/api_keys'),
      all<Webhook>('/v1/webhooks'),
      all<ProviderPin>('/v1/providers'),
      all<Fleet>('/v1/fleets'),
    ]);
    return { keys, webhooks, providers, fleets };
  });
  return data ?? NONE;
}

/** The places, actions and things of the page that a text finds. */
export function useLocalGroups(text: string, known: Known): Group[] {
  const { accounts, signedIn } = usePage();
  const places = placeGroups(signedIn.operator.chain_key_custody === 'external').flatMap((group) => group.places);
  const groups: LocalGroup[] = [
    { title: 'Pages', hits: [OVERVIEW, ...places].map(({ path, title }) => ({ to: `/${path}`, name: title, more: '' })) },
    ACTIONS,
    {
      title: 'Accounts',
      hits: accounts.map(({ account_id, name, handle, labels }) => ({
        to: `/accounts/${account_id}`,
        name,
        more: `${handle} ${labels.join(' ')}`,
      })),
    },
    { title: 'Fleets', hits: known.fleets.map(({ fleet_id, name }) => ({ to: `/fleets/${fleet_id}`, name, more: fleet_id })) },
    {
      title: 'API keys',
      hits: known.keys.map(({ key_id, name, prefix }) => ({
        to: `/keys?text=${prefix}`,
        name: name ?? prefix,
        more: `${prefix} ${key_id}`,
      })),
    },
    {
      title: 'Webhooks',
      hits: known.webhooks.map(({ webhook_id, url }) => ({ to: `/webhooks/${webhook_id}`, name: url, more: webhook_id })),
    },
    { title: 'Providers', hits: known.providers.map(({ host }) => ({ to: '/providers', name: host, more: '' })) },
  ];
  return localHits(text, groups).map(({ title, hits }) => ({
    title,
    hits: hits.map(({ to, name, more }) => ({
      to,
      content: (
        <>
          <span>{name}</span> <span class="muted">{more}</span>
        </>
      ),
    })),
  }));
}

/** Local groups first; an account that both found is shown once. */
export function joined(local: Group[], remote: Group[]): Group[] {
  const known = new Set(local.flatMap(({ hits }) => hits.map(({ to }) => to)));
  const rest = remote.map(({ title, hits }) => ({ title, hits: hits.filter(({ to }) => !known.has(to)) }));
  const both = local.map((group) => ({
    ...group,
    hits: [...group.hits, ...(rest.find(({ title }) => title === group.title)?.hits ?? [])],
  }));
  return [...both, ...rest.filter(({ title, hits }) => hits.length > 0 && !local.some((group) => group.title === title))];
}

/** Hits of the service. */
export function useFoundGroups(found: Search | undefined): Group[] {
  const { nameOf } = usePage();
  if (!found) return [];
  const by = (matched: string): JSX.Element | false => matched in MATCHES && <span class="muted"> {MATCHES[matched]}</span>;
  const accounts = found.accounts.map(({ account_id, name, handle, status }) => ({
    to: `/accounts/${account_id}`,
    content: (
      <>
        <span>{name}</span> <span class="muted">{handle}</span> {status === 'paused' && <Status of={status} />}
      </>
    ),
  }));
  const transfers = found.transfers.map(({ transfer_id, status, rejection_reason, from, to, amount_usdc, memo, created_at, matched }) => ({
    to: `/transfers/${transfer_id}`,
    content: (
      <>
        <Usdc amount={amount_usdc} /> <Status of={status} reason={rejection_reason ?? undefined} />
        {by(matched)}
        <span class="hit-more">
          <Time at={created_at} /> {nameOf(from)} to {nameOf(to)} {memo !== null && `· ${memo}`}
        </span>
      </>
    ),
  }));
  const payments = found.payments.map(
    ({ payment_id, account_id, status, rejection_reason, provider, amount_usdc, created_at, matched }) => ({
      to: `/payments/${payment_id}`,
      content: (
        <>
          <Usdc amount={amount_usdc} /> <Status of={status} reason={rejection_reason ?? undefined} />
          {by(matched)}
          <span class="hit-more">
            <Time at={created_at} /> {nameOf(account_id)} to {hostOf(provider)}
          </span>
        </>
      ),
    }),
  );
  const escrows = found.escrows.map(({ kind, id, account_id, provider }) => ({
    to: `/${kind}s/${id}`,
    content: (
      <>
        {kind === 'session' ? 'Session' : 'Purse'} of {nameOf(account_id)} {provider !== null && `for ${hostOf(provider)}`}
      </>
    ),
  }));
  return [
    { title: 'Accounts', hits: accounts },
    { title: 'Transfers', hits: transfers },
    { title: 'Payments', hits: payments },
    { title: 'Sessions and purses', hits: escrows },
  ].filter(({ hits }) => hits.length > 0);
}
