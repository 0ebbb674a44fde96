/** The frame around the views: the places, who is signed in, and the state of the chain. */
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { CircleUser, Ellipsis } from 'lucide';
import { onProblem } from './data/api';
import { useGet } from './data/data';
import { changed } from './data/live';
import { OVERVIEW, placeGroups, type Place } from './places';
import { useRoute } from './route';
import { SearchBox } from './search/search';
import { Action, Dialog, Icon, Link, Time, ZoneNote, usePage } from './ui';

const CHECK_CHAIN_EVERY_MS = 15_000;

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
          <Who onSignOut={props.onSignOut} />
        </header>
        <main id="view" tabIndex={-1}>
          <div class="view">
            <ChainState />
            {children}
            <ZoneNote />
          </div>
        </main>
      </div>
    </>
  );
}

function Places({ waiting, hasSignatures, onSignOut }: FrameProps): JSX.Element {
  const current = useRoute().path[0] ?? '';
  const [isOpen, setOpen] = useState(false);
  const groups = placeGroups(hasSignatures);
  const more = groups.flatMap(({ places }) => places).filter(({ isFirst }) => !isFirst);
  // The sheet closes when one of its places is opened.
  useEffect(() => setOpen(false), [current]);
  const itemOf = (place: Place): JSX.Element => (
    <li key={place.path} class={place.isFirst && 'first-place'}>
      <PlaceLink place={place} isCurrent={current === place.path} waiting={place.path === 'approvals' ? waiting : 0} />
    </li>
  );
  return (
    <nav aria-label="Views" class="places">
      <ul>
        {itemOf(OVERVIEW)}
        {groups.map(({ title, places }) => (
          <li key={title} class="place-group">
            <p aria-hidden="true">{title}</p>
            <ul aria-label={title}>{places.map(itemOf)}</ul>
          </li>
        ))}
        <li class="more-places">
          <button
            type="button"
            aria-haspopup="dialog"
            aria-current={more.some(({ path }) => path === current) ? 'true' : undefined}
            onClick={() => setOpen(true)}
          >
            <Icon of={Ellipsis} /> More
          </button>
        </li>
      </ul>
      {isOpen && (
        <Dialog title="More" onClose={() => setOpen(false)}>
          <ul class="sheet-places">{more.map(itemOf)}</ul>
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

function PlaceLink({ place, isCurrent, waiting }: { place: Place; isCurrent: boolean; waiting: number }): JSX.Element {
  return (
    <Link to={`/${place.path}`} aria-current={isCurrent ? 'page' : undefined}>
      <Icon of={place.icon} /> {place.title}
      {waiting > 0 && <span class="count"> {waiting}</span>}
    </Link>
  );
}

/** The signed-in operator, and a menu to sign out. */
function Who({ onSignOut }: { onSignOut: () => Promise<void> }): JSX.Element {
  const { signedIn, keyNameOf } = usePage();
  const id = useId();
  return (
    <div class="who">
      <button type="button" popovertarget={id}>
        <Icon of={CircleUser} /> {signedIn.operator.name}
      </button>
      <div id={id} popover="auto" class="who-menu">
        <p>
          Signed in as <strong>{signedIn.operator.name}</strong> with the key <strong>{keyNameOf(signedIn.key_id)}</strong>, until{' '}
          <Time at={signedIn.expires_at} />.
        </p>
        <Action run={onSignOut}>Sign out</Action>
      </div>
    </div>
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
