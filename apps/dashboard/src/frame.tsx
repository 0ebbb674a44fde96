/** The frame around the views: the places, signing out, and the state of the chain. */
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { onProblem } from './api';
import { useGet } from './data';
import { changed } from './live';
import { useRoute } from './route';
import { SearchBox } from './search';
import { Action, Dialog, Link, usePage } from './ui';

const CHECK_CHAIN_EVERY_MS = 15_000;

/** A place of the navigation: the path of a view, and its title. */
type Place = [path: string, title: string];

/** The places that a phone shows in the bar. */
const FIRST_PLACES: Place[] = [
  ['', 'Overview'],
  ['accounts', 'Accounts'],
  ['transfers', 'Transfers'],
  ['approvals', 'Approvals'],
];

/** The requests to sign, of an operator that holds its chain key. */
const SIGNATURES: Place = ['signatures', 'Signatures'];

/** The places that a phone shows in a sheet. */
const MORE_PLACES: Place[] = [
  ['fleets', 'Fleets'],
  ['payments', 'Payments'],
  ['sessions', 'Sessions'],
  ['purses', 'Purses'],
  ['providers', 'Providers'],
  ['webhooks', 'Webhooks'],
  ['activity', 'Events'],
  ['keys', 'API keys'],
  ['audit', 'Audit log'],
];

interface FrameProps {
  /** How many orders wait for approval. */
  waiting: number;
  /** Whether the operator holds its chain key, so that there are requests to sign. */
  hasSignatures: boolean;
  onSignOut: () => Promise<void>;
}

/** The page of a signed-in operator around a view. */
export function Frame({ children, ...props }: FrameProps & { children: ComponentChildren }): JSX.Element {
  const { signedIn } = usePage();
  return (
    <>
      <a class="skip" href="#view">
        Skip to the content
      </a>
      <div class="frame">
        <header class="top">
          <p class="brand">
            Agent payments <small>{signedIn.operator.name}</small>
          </p>
          <SearchBox />
          <Places {...props} />
          <div class="sign-out">
            <Action run={props.onSignOut} class="quiet">
              Sign out
            </Action>
          </div>
        </header>
        <main id="view" tabIndex={-1}>
          <div class="view">
            <ChainState />
            {children}
          </div>
        </main>
      </div>
    </>
  );
}

function Places({ waiting, hasSignatures, onSignOut }: FrameProps): JSX.Element {
  const route = useRoute();
  const current = route.path[0] ?? '';
  const [isOpen, setOpen] = useState(false);
  const more = hasSignatures ? [SIGNATURES, ...MORE_PLACES] : MORE_PLACES;
  const isMore = more.some(([path]) => path === current);
  // The sheet closes when one of its places is opened.
  useEffect(() => setOpen(false), [current]);
  const linkTo = ([path, title]: Place): JSX.Element => (
    <Link to={`/${path}`} aria-current={current === path ? 'page' : undefined}>
      {title}
      {path === 'approvals' && waiting > 0 && <span class="count"> {waiting}</span>}
    </Link>
  );
  return (
    <nav aria-label="Views" class="places">
      <ul>
        {FIRST_PLACES.map((place) => (
          <li key={place[0]} class="first-place">
            {linkTo(place)}
          </li>
        ))}
        {more.map((place) => (
          <li key={place[0]}>{linkTo(place)}</li>
        ))}
        <li class="more-places">
          <button type="button" aria-haspopup="dialog" aria-current={isMore ? 'true' : undefined} onClick={() => setOpen(true)}>
            More
          </button>
        </li>
      </ul>
      {isOpen && (
        <Dialog title="More" onClose={() => setOpen(false)}>
          <ul class="sheet-places">
            {more.map((place) => (
              <li key={place[0]}>{linkTo(place)}</li>
            ))}
          </ul>
          <div class="actions">
            <Action run={onSignOut}>Sign out</Action>
            <button type="button" onClick={() => setOpen(false)}>
              Close
            </button>
          </div>
        </Dialog>
      )}
    </nav>
  );
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
