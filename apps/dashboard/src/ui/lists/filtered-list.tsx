/** A page with one list: its heading, its filters, which the URL keeps, its rows, and the button for more of them. */
import type { ComponentChildren, JSX } from 'preact';
import { withQuery } from '../../data/api';
import { useRows } from '../../data/data';
import { asApiQuery, filtersIn, type Filter } from '../../filters';
import { go } from '../../route';
import { FilterBar } from './filter-bar';
import { Empty, Loaded } from '../notices';
import { Heading } from '../page';
import { More, Table, type Column } from './tables';

interface ListProps<Row> {
  title: string;
  /** The path of the page below /dashboard. */
  place: string;
  /** The list in the API. */
  source: string;
  query: Record<string, string>;
  filters: Filter[];
  columns: Column<Row>[];
  keyOf: (row: Row) => string;
  /** The view that a row leads to. */
  linkOf?: (row: Row) => string | undefined;
  /** The text of an empty list, if no filter is set. */
  empty: ComponentChildren;
  /** The same list as CSV, under the same filters. */
  csv?: string;
  actions?: ComponentChildren;
  /** How often the list is read again, if no event tells of its changes. */
  everyMs?: number;
  /** The order without `sort` in the query, if the service can sort the list. */
  defaultSort?: string;
}

/** A list under the filters of its URL. */
export function FilteredList<Row>(props: ListProps<Row>): JSX.Element {
  const { title, place, source, query, filters, columns, keyOf, linkOf, empty, csv, actions, defaultSort, everyMs } = props;
  const set = filtersIn(filters, query);
  const sort = defaultSort === undefined ? {} : { sort: query.sort ?? defaultSort };
  const asked = { ...asApiQuery(filters, query), ...sort };
  const rows = useRows<Row>(source, asked, everyMs === undefined ? {} : { everyMs });
  const show = (change: Record<string, string | undefined>): void =>
    go(withQuery(place, { ...set, sort: query.sort, ...change }), { replace: true });
  const sorting = sort.sort === undefined ? undefined : { by: sort.sort, onSort: (by: string) => show({ sort: by }) };
  return (
    <>
      <Heading title={title}>
        {csv !== undefined && (
          <a class="button" href={withQuery(csv, asked)} download>
            Download CSV
          </a>
        )}
        {actions}
      </Heading>
      <FilterBar filters={filters} query={set} place={place} onChange={show} />
      <Loaded {...rows}>
        {(page) =>
          page.data.length === 0 ? (
            <Empty>{Object.keys(set).length > 0 ? `No ${title.toLowerCase()} match these filters.` : empty}</Empty>
          ) : (
            <>
              <Table
                label={title}
                rows={page.data}
                keyOf={keyOf}
                columns={columns}
                {...(linkOf && { linkOf })}
                {...(sorting && { sorting })}
              />
              <More page={page} more={rows.more} />
            </>
          )
        }
      </Loaded>
    </>
  );
}
