/** The filters of a list. Their values are the query of its URL. */
import type { JSX } from 'preact';
import { useEffect, useId, useState } from 'preact/hooks';
import { Choice, textOf } from './forms';
import { usePage } from './page';

/** A filter: `name` is its parameter in the URL. A `day` is a date of the viewer's calendar. */
export type Filter =
  | { kind: 'choice'; name: string; label: string; options: [string, string][] }
  | { kind: 'account'; name: string; label: string }
  | { kind: 'text'; name: string; label: string; placeholder?: string; isAmount?: boolean }
  | { kind: 'day'; name: string; label: string };

/** The filters of the days from which and until which rows were created. */
export const DAYS: Filter[] = [
  { kind: 'day', name: 'since', label: 'From date' },
  { kind: 'day', name: 'until', label: 'To date' },
];

export const ACCOUNT: Filter = { kind: 'account', name: 'account_id', label: 'Account' };

const FIRST_YEAR = 2000;

type Query = Record<string, string>;

/** The values of these filters in a query. */
export function filtersIn(filters: Filter[], query: Query): Query {
  return Object.fromEntries(filters.flatMap(({ name }) => (query[name] ? [[name, query[name]]] : [])));
}

/** The query of the API: a day becomes the moment at which it begins or ends. An invalid value is left out. */
export function asApiQuery(filters: Filter[], query: Query): Query {
  return Object.fromEntries(
    filters.flatMap((filter) => {
      const value = query[filter.name];
      if (!value) return [];
      if (filter.kind === 'day') {
        const moment = filter.name === 'since' ? momentBefore(value) : endOf(value);
        return moment === undefined ? [] : [[filter.name, moment]];
      }
      return [[filter.name, value]];
    }),
  );
}

/** The API's `since` is exclusive: the last millisecond before the day. */
function momentBefore(day: string): string | undefined {
  return momentOf(day, 0);
}

/** The last millisecond of a day. */
function endOf(day: string): string | undefined {
  return momentOf(day, 1);
}

function momentOf(day: string, plusDays: number): string | undefined {
  const [, year, month, date] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(day) ?? [];
  // While a year is typed, its first digits are a year, too.
  if (year === undefined || Number(year) < FIRST_YEAR) return undefined;
  return new Date(new Date(Number(year), Number(month) - 1, Number(date) + plusDays).getTime() - 1).toISOString();
}

/** The fields of the filters, and a button that clears each one that is set. */
export function Filters({ filters, query, onChange }: { filters: Filter[]; query: Query; onChange: (change: Query) => void }): JSX.Element {
  const { nameOf } = usePage();
  const set = filters.filter(({ name }) => query[name]);
  const shownValue = (filter: Filter): string => {
    const value = query[filter.name] ?? '';
    if (filter.kind === 'account') return nameOf(value);
    return filter.kind === 'choice' ? (filter.options.find(([option]) => option === value)?.[1] ?? value) : value;
  };
  return (
    <div class="filter-box">
      <details open={matchMedia('(min-width: 48rem)').matches}>
        <summary>Filters{set.length > 0 && ` (${set.length})`}</summary>
        <div class="filters">
          {filters.map((filter) => (
            <FilterField
              key={filter.name}
              filter={filter}
              value={query[filter.name] ?? ''}
              onChange={(value) => onChange({ [filter.name]: value })}
            />
          ))}
        </div>
      </details>
      {set.length > 0 && (
        <ul class="set-filters" aria-label="Filters that are set">
          {set.map((filter) => (
            <li key={filter.name}>
              <button
                type="button"
                onClick={() => onChange({ [filter.name]: '' })}
                aria-label={`Clear ${filter.label}: ${shownValue(filter)}`}
              >
                {filter.label}: {shownValue(filter)} <span aria-hidden="true">×</span>
              </button>
            </li>
          ))}
          <li>
            <button type="button" class="quiet" onClick={() => onChange(Object.fromEntries(set.map(({ name }) => [name, ''])))}>
              Clear all
            </button>
          </li>
        </ul>
      )}
    </div>
  );
}

function FilterField({ filter, value, onChange }: { filter: Filter; value: string; onChange: (value: string) => void }): JSX.Element {
  const id = useId();
  const { accounts } = usePage();
  // Keeps what is typed when the page renders again meanwhile. A change event makes it the filter.
  const [draft, setDraft] = useState(value);
  useEffect(() => setDraft(value), [value]);
  if (filter.kind === 'choice')
    return <Choice label={filter.label} value={value} options={[['', 'any'], ...filter.options]} onChange={onChange} />;
  if (filter.kind === 'account') {
    const options = accounts.map(({ account_id, name }): [string, string] => [account_id, `${name} · …${account_id.slice(-5)}`]);
    return <Choice label={filter.label} value={value} options={[['', 'any'], ...options]} onChange={onChange} />;
  }
  const common = {
    id,
    value: draft,
    maxLength: 128,
    onInput: (event: Event) => setDraft(textOf(event)),
    onChange: (event: Event) => onChange(textOf(event).trim()),
  };
  return (
    <div class="choice">
      <label for={id}>{filter.label}</label>
      {filter.kind === 'day' ? (
        <input {...common} type="date" />
      ) : (
        <input {...common} type="text" placeholder={filter.placeholder ?? ''} inputMode={filter.isAmount ? 'decimal' : 'text'} />
      )}
    </div>
  );
}
