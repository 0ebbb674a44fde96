/** The filters of a list as chips: those that are set, a menu that adds one, and the saved views. */
import type { JSX } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Plus, X } from 'lucide';
import { valueInWords, type Filter } from '../../filters';
import { FilterField } from './filter-field';
import { Icon } from '../icons';
import { usePage } from '../page';
import { Popup } from '../popup';
import { SavedViews } from './saved-views';

type Query = Record<string, string>;

interface FilterBarProps {
  filters: Filter[];
  /** The filters that are set, and their values. */
  query: Query;
  /** The path of the list. */
  place: string;
  onChange: (change: Query) => void;
}

/** The menu of the filters that can be added. */
const MENU = '+';

/** One line of chips. A click on a chip opens its field below it, so that nothing moves. */
export function FilterBar({ filters, query, place, onChange }: FilterBarProps): JSX.Element {
  const { nameOf } = usePage();
  const [open, setOpen] = useState<string>();
  const close = (): void => setOpen(undefined);
  const unset = filters.filter(({ name }) => !query[name] && name !== open);
  const shown = filters.filter(({ name }) => query[name] || name === open);
  return (
    <div class="filter-bar" role="group" aria-label="Filters">
      {shown.map((filter) => {
        const value = query[filter.name] ?? '';
        const words = value === '' ? filter.label : `${filter.label}: ${valueInWords(filter, value, nameOf)}`;
        return (
          <Popup key={filter.name} isOpen={open === filter.name} onClose={close}>
            <span class="chip">
              <button
                type="button"
                aria-expanded={open === filter.name}
                onClick={() => setOpen(open === filter.name ? undefined : filter.name)}
              >
                {words}
              </button>
              <button
                type="button"
                aria-label={`Clear ${words}`}
                onClick={() => {
                  close();
                  onChange({ [filter.name]: '' });
                }}
              >
                <Icon of={X} />
              </button>
            </span>
            {open === filter.name && (
              <div class="popup">
                <FilterField filter={filter} value={value} onChange={(next) => onChange({ [filter.name]: next })} onDone={close} />
              </div>
            )}
          </Popup>
        );
      })}
      {unset.length > 0 && (
        <Popup isOpen={open === MENU} onClose={close}>
          <button type="button" class="chip-button" aria-expanded={open === MENU} onClick={() => setOpen(open === MENU ? undefined : MENU)}>
            <Icon of={Plus} /> Filter
          </button>
          {open === MENU && (
            <ul class="popup menu" aria-label="Filters to add">
              {unset.map(({ name, label }, index) => (
                <li key={name}>
                  <MenuButton isFirst={index === 0} onClick={() => setOpen(name)}>
                    {label}
                  </MenuButton>
                </li>
              ))}
            </ul>
          )}
        </Popup>
      )}
      {Object.keys(query).length > 0 && (
        <button type="button" class="quiet" onClick={() => onChange(Object.fromEntries(Object.keys(query).map((name) => [name, ''])))}>
          Clear all
        </button>
      )}
      <SavedViews place={place} />
    </div>
  );
}

function MenuButton({ isFirst, onClick, children }: { isFirst: boolean; onClick: () => void; children: string }): JSX.Element {
  const button = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    if (isFirst) button.current?.focus();
  }, []);
  return (
    <button ref={button} type="button" onClick={onClick}>
      {children}
    </button>
  );
}
