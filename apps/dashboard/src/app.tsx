/** The page: sign-in, then the view of the route in its frame. */
import type { JSX } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { Problem, call, get, onProblem } from './api';
import { useGet, type Data } from './data';
import { Frame } from './frame';
import { listen } from './live';
import { useRoute, type Route } from './route';
import type { Overview, SignedIn } from './types';
import { Link, PageContext, ProblemNotice } from './ui';
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
  return (
    <PageContext.Provider value={context}>
      <Frame waiting={overview.data?.pending_approvals ?? 0} onSignOut={signOut}>
        <View route={route} overview={overview} />
      </Frame>
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
