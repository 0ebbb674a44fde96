/** The frame around the views: sign-in, navigation, and the state of the service and the chain. */
import type { JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Problem, call, get, onProblem } from './api';
import { useGet, type Data } from './data';
import { changed, listen } from './live';
import { useRoute, type Route } from './route';
import type { Overview, SignedIn } from './types';
import { Action, Link, PageContext, ProblemNotice } from './ui';
import { AccountView } from './views/account';
import { AccountsView } from './views/accounts';
import { ApprovalsView } from './views/approvals';
import { KeysView } from './views/keys';
import { OverviewView } from './views/overview';
import { PurseView, PursesView } from './views/purses';
import { SessionView, SessionsView } from './views/sessions';
import { SignInView } from './views/sign-in';
import { TransferView } from './views/transfer';
import { TransfersView } from './views/transfers';
import { WebhookView } from './views/webhook';
import { WebhooksView } from './views/webhooks';

const CHECK_CHAIN_EVERY_MS = 15_000;

/** The whole page. */
export function App(): JSX.Element {
  const [signedIn, setSignedIn] = useState<SignedIn | null | undefined>(undefined);
  const [problem, setProblem] = useState<Problem>();
  useEffect(() => {
    void get<SignedIn>('/dashboard/session').then(setSignedIn, (failure: Problem) =>
      failure.status === 401 ? setSignedIn(null) : setProblem(failure),
    );
    return onProblem(({ status }) => status === 401 && setSignedIn(null));
  }, []);
  if (signedIn === null) return <SignInView onSignedIn={setSignedIn} />;
  if (signedIn === undefined)
    return <main class="alone">{problem ? <ProblemNotice problem={problem} /> : <p role="status">Loading …</p>}</main>;
  return <SignedInPage key={signedIn.key_id} signedIn={signedIn} onSignedOut={() => setSignedIn(null)} />;
}

const PLACES: [string, string][] = [
  ['', 'Overview'],
  ['accounts', 'Accounts'],
  ['transfers', 'Transfers'],
  ['approvals', 'Approvals'],
  ['sessions', 'Sessions'],
  ['purses', 'Purses'],
  ['webhooks', 'Webhooks'],
  ['keys', 'API keys'],
];

function SignedInPage({ signedIn, onSignedOut }: { signedIn: SignedIn; onSignedOut: () => void }): JSX.Element {
  const route = useRoute();
  const names = useGet<{ data: { account_id: string; name: string }[] }>('/dashboard/data/names');
  const overview = useGet<Overview>('/dashboard/data/overview');
  useEffect(() => listen(onSignedOut), []);
  const accounts = names.data?.data;
  const context = useMemo(() => {
    const known = new Map(accounts?.map(({ account_id, name }) => [account_id, name]));
    return { signedIn, accounts: accounts ?? [], nameOf: (id: string) => known.get(id) ?? id };
  }, [signedIn, accounts]);
  const signOut = async (): Promise<void> => {
    await call('DELETE', '/dashboard/session');
    onSignedOut();
  };
  const waiting = overview.data?.pending_approvals ?? 0;
  return (
    <PageContext.Provider value={context}>
      <a class="skip" href="#view">
        Skip to the content
      </a>
      <div class="frame">
        <header class="top">
          <p class="brand">
            Agent payments <small>{signedIn.operator.name}</small>
          </p>
          <nav aria-label="Views">
            <ul>
              {PLACES.map(([path, title]) => (
                <li key={path}>
                  <Link to={`/${path}`} aria-current={(route.path[0] ?? '') === path ? 'page' : undefined}>
                    {title}
                    {path === 'approvals' && waiting > 0 && <span class="count"> {waiting}</span>}
                  </Link>
                </li>
              ))}
            </ul>
          </nav>
          <Action run={signOut} class="quiet">
            Sign out
          </Action>
        </header>
        <main id="view" tabIndex={-1}>
          <div class="view">
            <ChainState />
            <View route={route} overview={overview} />
          </div>
        </main>
      </div>
    </PageContext.Provider>
  );
}

function View({ route: { path, query }, overview }: { route: Route; overview: Data<Overview> }): JSX.Element {
  const [place, id] = path;
  switch (place) {
    case undefined:
      return <OverviewView overview={overview} />;
    case 'accounts':
      return id === undefined ? <AccountsView query={query} /> : <AccountView key={id} id={id} />;
    case 'transfers':
      return id === undefined ? <TransfersView query={query} /> : <TransferView key={id} id={id} />;
    case 'approvals':
      return <ApprovalsView />;
    case 'sessions':
      return id === undefined ? <SessionsView query={query} /> : <SessionView key={id} id={id} />;
    case 'purses':
      return id === undefined ? <PursesView query={query} /> : <PurseView key={id} id={id} />;
    case 'webhooks':
      return id === undefined ? <WebhooksView /> : <WebhookView key={id} id={id} query={query} />;
    case 'keys':
      return <KeysView />;
    default:
      return (
        <>
          <h1>There is nothing here</h1>
          <p>
            <Link to="/">Go to the overview</Link>
          </p>
        </>
      );
  }
}

/** A warning while the chain is unavailable, because balances and policies are then shown as they were last read. */
function ChainState(): JSX.Element | null {
  const { data, reload } = useGet<{ chain: 'up' | 'down' }>('/ready', { everyMs: CHECK_CHAIN_EVERY_MS });
  useEffect(() => onProblem(({ code }) => code === 'chain_unavailable' && void reload()), [reload]);
  const isDown = data?.chain === 'down';
  const wasDown = useRef(false);
  useEffect(() => {
    // The chain is available again, so that everything can be read.
    if (wasDown.current && !isDown) changed();
    wasDown.current = isDown;
  }, [isDown]);
  if (!isDown) return null;
  return (
    <div class="notice bad" role="alert">
      <p>
        <strong>The chain does not answer.</strong> Balances and policies are shown as they were last read, and nothing can be sent until it
        is back.
      </p>
    </div>
  );
}
