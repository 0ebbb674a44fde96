/** The views of a list that the operator has saved in this browser: names, and the filters and order that they stand for. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Bookmark, X } from 'lucide';
import { go } from '../../route';
import { textOf } from '../forms';
import { Icon } from '../icons';
import { usePage } from '../page';
import { Popup } from '../popup';

interface SavedView {
  name: string;
  /** The query of the list's URL, with its question mark. */
  search: string;
}

const MAX_VIEWS = 30;
const MAX_NAME = 60;

/** Storage may be denied to the page, or hold what another program wrote: then there are none. */
function viewsIn(key: string): SavedView[] {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(key) ?? '[]');
    return Array.isArray(found) ? found.filter(isView) : [];
  } catch {
    return [];
  }
}

function isView(found: unknown): found is SavedView {
  const { name, search } = (found ?? {}) as Partial<SavedView>;
  return typeof name === 'string' && typeof search === 'string';
}

/** The button that lists the saved views and saves the present one. */
export function SavedViews({ place }: { place: string }): JSX.Element {
  const { signedIn } = usePage();
  const key = `views ${signedIn.operator.operator_id} ${place}`;
  const [isOpen, setOpen] = useState(false);
  const [views, setViews] = useState(() => viewsIn(key));
  const [name, setName] = useState('');
  const keep = (next: SavedView[]): void => {
    setViews(next);
    try {
      localStorage.setItem(key, JSON.stringify(next));
    } catch {
      // They last as long as the page.
    }
  };
  const save = (event: Event): void => {
    event.preventDefault();
    const wanted = name.trim();
    if (wanted === '') return;
    keep([{ name: wanted, search: location.search }, ...views.filter((view) => view.name !== wanted)].slice(0, MAX_VIEWS));
    setName('');
    setOpen(false);
  };
  return (
    <Popup isOpen={isOpen} onClose={() => setOpen(false)}>
      <button type="button" class="chip-button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Icon of={Bookmark} /> Views
      </button>
      {isOpen && (
        <div class="popup">
          <ul class="menu" aria-label="Saved views">
            {views.map((view) => (
              <li key={view.name}>
                <button
                  type="button"
                  onClick={() => {
                    setOpen(false);
                    go(place + view.search);
                  }}
                >
                  {view.name}
                </button>
                <button
                  type="button"
                  aria-label={`Forget the view ${view.name}`}
                  onClick={() => keep(views.filter(({ name: each }) => each !== view.name))}
                >
                  <Icon of={X} />
                </button>
              </li>
            ))}
          </ul>
          <form onSubmit={save}>
            <label>
              Save this view as
              <input type="text" value={name} maxLength={MAX_NAME} required onInput={(event) => setName(textOf(event))} />
            </label>
            <button type="submit">Save view</button>
          </form>
        </div>
      )}
    </Popup>
  );
}
