/** The page: sign-in, then the view of the route in its frame. */
import type { JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Problem, call, get, onProblem } from './data/api';
import { useGet, useListedAccounts, type Data } from './data/data';
import { Frame } from './frame';
import { keyNames } from './words/key-names';
import { listen } from './data/live';
import { followNotifications, notifyOfApprovals, renewPush, turnOffNotifications } from './data/notifications';
import { placeTitled } from './places';
import { go, useRoute, type Route } from './route';
import { SigningDialog } from './signing';
import type { ChainKey, KeyName, ListedAccounts, Overview, SignedIn } from './data/types';
import { Link, PageContext, ProblemNotice, setTitleCount } from './ui';
import { AccountView } from './views/accounts/account';
import { AccountsView } from './views/accounts/accounts';
import { ApprovalsView } from './views/money/approvals';
import { AuditView } from './views/access/audit';
import { EventsView } from './views/webhooks/events';
import { JobView, JobsView } from './views/policies/jobs';
import { KeysView } from './views/access/keys';
import { OverviewView } from './views/overview';
import { PaymentView } from './views/money/payment';
import { PaymentsView } from './views/money/payments';
import { FleetsView, FleetView } from './views/policies/fleets';
import { ProvidersView } from './views/providers';
import { PursesView, PurseView, SessionsView, SessionView } from './views/money/allowances';
import { SignaturesView } from './views/access/signatures';
import { SignInView } from './views/sign-in';
import { TransferView } from './views/money/transfer';
import { StatementView } from './views/accounts/statement';
import { TransfersView } from './views/money/transfers';
import { WebhookView } from './views/webhooks/webhook';
import { WebhooksView } from './views/webhooks/webhooks';

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
  const listed = useListedAccounts();
  const keys = useGet<{ data: KeyName[] }>('/dashboard/data/key_names').data?.data;
  const overview = useGet<Overview>('/dashboard/data/overview');
  const chainKey = useGet<ChainKey>('/v1/operators/me').data;
  const custody = chainKey?.chain_key_custody ?? signedIn.operator.chain_key_custody;
  useEffect(() => listen(onSignedOut), []);
  useEffect(() => {
    void renewPush();
    return followNotifications((path) => go(path, { isLink: true }));
  }, []);
  const accounts = listed.data?.data;
  const context = useMemo(() => {
    const known = new Map(accounts?.map(({ account_id, name }) => [account_id, name]));
    return { signedIn, accounts: accounts ?? [], nameOf: (id: string) => known.get(id) ?? id, keyNameOf: keyNames(keys ?? []) };
  }, [signedIn, accounts, keys]);
  const waiting = overview.data?.pending_approvals ?? 0;
  useBadge(waiting);
  const signOut = async (): Promise<void> => {
    await turnOffNotifications();
    await call('DELETE', '/dashboard/session');
    onSignedOut();
  };
  return (
    <PageContext.Provider value={context}>
      <Frame waiting={waiting} hasSignatures={custody === 'external'} onSignOut={signOut}>
        <View route={route} overview={overview} accounts={listed} />
      </Frame>
      <SigningDialog />
    </PageContext.Provider>
  );
}

interface ViewProps {
  route: Route;
  overview: Data<Overview>;
  accounts: Data<ListedAccounts>;
}

/** Shows in the title, on the icon of an installed page and in a notification how many orders wait for approval. */
function useBadge(waiting: number): void {
  const before = useRef(waiting);
  useEffect(() => {
    setTitleCount(waiting);
    if ('setAppBadge' in navigator) void navigator.setAppBadge(waiting).catch(() => undefined);
    if (waiting > before.current) void notifyOfApprovals(waiting);
    before.current = waiting;
  }, [waiting]);
}

function View({ route: { path, query }, overview, accounts }: ViewProps): JSX.Element {
  const [place, id, part] = path;
  switch (place) {
    case undefined:
      return <OverviewView overview={overview} accounts={accounts} />;
    case 'accounts':
      if (id === undefined) return <AccountsView query={query} accounts={accounts} />;
      if (part === 'statement') return <StatementView key={id} id={id} query={query} />;
      return <AccountView key={id} id={id} />;
    case 'transfers':
      return id === undefined ? <TransfersView query={query} /> : <TransferView key={id} id={id} />;
    case 'payments':
      return id === undefined ? <PaymentsView query={query} /> : <PaymentView key={id} id={id} />;
    case 'approvals':
      return <ApprovalsView />;
    case 'signatures':
      return <SignaturesView />;
    case 'sessions':
      return id === undefined ? <SessionsView query={query} /> : <SessionView key={id} id={id} />;
    case 'purses':
      return id === undefined ? <PursesView query={query} /> : <PurseView key={id} id={id} />;
    case 'webhooks':
      return id === undefined ? <WebhooksView /> : <WebhookView key={id} id={id} query={query} />;
    case 'keys':
      return <KeysView query={query} />;
    case 'fleets':
      return id === undefined ? <FleetsView /> : <FleetView key={id} id={id} />;
    case 'providers':
      return <ProvidersView />;
    case 'activity':
      return <EventsView query={query} />;
    case 'jobs':
      return id === undefined ? <JobsView query={query} /> : <JobView key={id} id={id} />;
    case 'audit':
      return <AuditView query={query} />;
    default:
      return <Nowhere place={place} />;
  }
}

/** Leads to the place that the path spells by its title; says that there is nothing else. */
function Nowhere({ place }: { place: string }): JSX.Element | null {
  const meant = placeTitled(place);
  useEffect(() => {
    if (meant) go(`/${meant.path}`, { replace: true });
  }, [meant]);
  if (meant) return null;
  return (
    <>
      <h1>There is nothing here</h1>
      <p>
        <Link to="/">Go to the overview</Link>
      </p>
    </>
  );
}
