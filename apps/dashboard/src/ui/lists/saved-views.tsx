/** The saved views of a list: names, and the filters and order that they stand for. The service keeps them for all keys of the operator. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Bookmark, X } from 'lucide';
import { call, post, withQuery } from '../../data/api';
import { useGet } from '../../data/data';
import type { SavedView } from '../../data/types';
import { go } from '../../route';
import { Action, Form, textOf } from '../forms';
import { Icon } from '../icons';
import { Loaded } from '../notices';
import { Popup } from '../popup';

interface Place {
  /** The path of the list. */
  place: string;
}

const VIEWS = '/dashboard/data/views';
const MAX_NAME = 60;

/** The button that lists the saved views and saves the present one. */
export function SavedViews({ place }: Place): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const close = (): void => setOpen(false);
  return (
    <Popup isOpen={isOpen} onClose={close}>
      <button type="button" class="chip-button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Icon of={Bookmark} /> Views
      </button>
      {isOpen && (
        <div class="popup">
          <ViewMenu place={place} onDone={close} />
          <SaveView place={place} onDone={close} />
        </div>
      )}
    </Popup>
  );
}

function ViewMenu({ place, onDone }: Place & { onDone: () => void }): JSX.Element {
  const views = useGet<{ data: SavedView[] }>(withQuery(VIEWS, { list: place }));
  const forget = async (name: string): Promise<void> => {
    await call('DELETE', VIEWS, { list: place, name });
    await views.reload();
  };
  const open = ({ search }: SavedView): void => {
    onDone();
    go(place + search);
  };
  return (
    <Loaded {...views}>
      {({ data }) => (
        <ul class="menu" aria-label="Saved views">
          {data.map((view) => (
            <li key={view.name}>
              <button type="button" onClick={() => open(view)}>
                {view.name}
              </button>
              <Action run={() => forget(view.name)} label={`Forget the view ${view.name}`}>
                <Icon of={X} />
              </Action>
            </li>
          ))}
        </ul>
      )}
    </Loaded>
  );
}

function SaveView({ place, onDone }: Place & { onDone: () => void }): JSX.Element {
  const [name, setName] = useState('');
  const save = async (): Promise<void> => {
    await post(VIEWS, { list: place, name, search: location.search });
    onDone();
  };
  return (
    <Form send={save} submit="Save view" disabled={name.trim() === ''}>
      <label>
        Save this view as
        <input type="text" value={name} maxLength={MAX_NAME} required onInput={(event) => setName(textOf(event))} />
      </label>
    </Form>
  );
}
