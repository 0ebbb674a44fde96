/** Tables and lists of facts. */
import type { ComponentChildren, JSX } from 'preact';
import { Brief } from '../brief';
import { Choice } from '../forms';
import { Link } from '../page';
import { Usdc } from '../values';

/**
 * Where a cell stands in the two lines that a row has on a phone. `labelled`: in the second line, behind the column's name. `rest`: in what is
 * left of the second line, cut at its end.
 */
type PhonePlace = 'first' | 'end' | 'second' | 'labelled' | 'rest' | 'hidden';

interface AnyColumn {
  name: string;
  /** Default: the first column is `first`, a number is `end`, and any other is `second`. */
  onPhone?: PhonePlace;
  /** The list's sort key, if the service can sort by this column. */
  sort?: string;
  /** Whether it takes what the other columns leave, and is cut there. Default: a column that is `rest` on a phone. */
  grows?: boolean;
  /** Whether its text is the text of the row's link. Default: the first column without a control. */
  isLink?: boolean;
  /** Whether the cell holds a control, such as a checkbox, and no link. */
  isControl?: boolean;
}

/** A column of any content. Numbers are aligned to the right. */
export interface CellColumn<Row> extends AnyColumn {
  cell: (row: Row) => ComponentChildren;
  isNumber?: boolean;
  /** The unit of its numbers, which the head names. */
  unit?: string;
}

/** A column of amounts, rounded, with the unit in its head. */
export interface AmountColumn<Row> extends AnyColumn {
  amount: (row: Row) => string | null;
  sign?: (row: Row) => string;
}

export type Column<Row> = CellColumn<Row> | AmountColumn<Row>;

/** The sort key in a list's query: a column's key, behind `-` for the greatest first. */
export interface Sorting {
  by: string;
  onSort: (by: string) => void;
}

interface TableProps<Row> {
  label: string;
  columns: Column<Row>[];
  rows: Row[];
  keyOf: (row: Row) => string;
  sorting?: Sorting;
  /** The view that a row leads to: the whole row is one link to it. */
  linkOf?: (row: Row) => string | undefined;
  /** The class of a row. */
  classOf?: (row: Row) => string | undefined;
  /** Whether amounts and times are exact, as on paper. */
  isExact?: boolean;
}

/** A table. On a phone each row has two lines. The roles are explicit because the CSS of those removes them. */
export function Table<Row>({ label, columns, rows, keyOf, sorting, linkOf, classOf, isExact = false }: TableProps<Row>): JSX.Element {
  const shown = columns.map((column, index) => ({
    ...withCell(column),
    place: placeOf(column, index),
    grows: column.grows ?? column.onPhone === 'rest',
  }));
  const linked = shown.findIndex(({ isLink }) => isLink);
  const first = linked < 0 ? shown.findIndex(({ isControl }) => !isControl) : linked;
  return (
    <Brief.Provider value={{ is: !isExact, inLink: linkOf !== undefined }}>
      {sorting && <SortChoice columns={columns} sorting={sorting} />}
      <div class="table-box">
        <table role="table" aria-label={label}>
          <thead role="rowgroup">
            <tr role="row">
              {shown.map((column) => (
                <Header key={column.name} column={column} sorting={sorting} />
              ))}
            </tr>
          </thead>
          <tbody role="rowgroup">
            {rows.map((row) => (
              <tr key={keyOf(row)} role="row" class={classOf?.(row)}>
                {shown.map(({ name, cell, isNumber, grows, place }, index) => (
                  <td
                    key={name}
                    role="cell"
                    data-label={name}
                    class={`${isNumber ? 'number ' : ''}${grows ? 'grow ' : ''}on-phone-${place}`}
                  >
                    {inside(cell(row), index === first ? linkOf?.(row) : undefined)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Brief.Provider>
  );
}

function withCell<Row>(column: Column<Row>): CellColumn<Row> {
  if ('cell' in column) return column;
  const { amount, sign } = column;
  const cell = (row: Row): ComponentChildren => {
    const given = amount(row);
    return given === null ? null : <Usdc amount={given} sign={sign?.(row) ?? ''} hasUnit={false} />;
  };
  return { ...column, cell, isNumber: true, unit: 'USDC' };
}

function placeOf<Row>(column: Column<Row>, index: number): PhonePlace {
  if (column.onPhone) return column.onPhone;
  if (index === 0) return 'first';
  return 'amount' in column || column.isNumber ? 'end' : 'second';
}

/** A header, with the button that sorts by it. The first click sorts the greatest first, the next the smallest. */
function Header<Row>({
  column: { name, isNumber, isControl, sort, unit },
  sorting,
}: {
  column: CellColumn<Row>;
  sorting: Sorting | undefined;
}): JSX.Element {
  const className = isNumber ? 'number' : undefined;
  if (sort === undefined || !sorting)
    return (
      <th role="columnheader" scope="col" class={className}>
        {isControl ? <span class="unseen">{name}</span> : name}
        {unit && <small> {unit}</small>}
      </th>
    );
  const order = sorting.by === `-${sort}` ? 'descending' : sorting.by === sort ? 'ascending' : 'none';
  return (
    <th role="columnheader" scope="col" class={className} aria-sort={order}>
      <button type="button" class="sort" onClick={() => sorting.onSort(order === 'descending' ? sort : `-${sort}`)}>
        {name}
        {unit && <small> {unit}</small>} <span class={`sort-mark ${order}`} aria-hidden="true" />
      </button>
    </th>
  );
}

/** The choice of an order, on a phone, which shows no headers. */
function SortChoice<Row>({ columns, sorting }: { columns: Column<Row>[]; sorting: Sorting }): JSX.Element {
  const options = columns.flatMap(({ name, sort }): [string, string][] =>
    sort === undefined
      ? []
      : [
          [`-${sort}`, `${name}, descending`],
          [sort, `${name}, ascending`],
        ],
  );
  const isListed = options.some(([value]) => value === sorting.by);
  return (
    <div class="sort-choice">
      <Choice
        label="Sort by"
        value={sorting.by}
        options={isListed ? options : [[sorting.by, 'the usual order'], ...options]}
        onChange={sorting.onSort}
      />
    </div>
  );
}

/** The content of a cell, as the row's link if it has a view. An empty cell takes no room on a phone. */
function inside(content: ComponentChildren, to: string | undefined): ComponentChildren {
  if (content === null || content === undefined || content === false || content === '') return null;
  return (
    <div>
      {to === undefined ? (
        content
      ) : (
        <Link to={to} class="row-link">
          {content}
        </Link>
      )}
    </div>
  );
}

/** The button that loads more rows of a list. */
export function More({ page, more }: { page: { has_more: boolean }; more: () => void }): JSX.Element | null {
  if (!page.has_more) return null;
  return (
    <p class="more">
      <button type="button" onClick={more}>
        Show more
      </button>
    </p>
  );
}

/** A name and its value, which may take the room of two. */
export type Fact = [name: string, value: ComponentChildren, width?: 'wide' | undefined];

/** A list of names and values. */
export function Facts({ facts }: { facts: Fact[] }): JSX.Element {
  return (
    <dl class="facts">
      {facts
        .filter(([, fact]) => fact !== null && fact !== undefined && fact !== false)
        .map(([name, fact, width]) => (
          <div key={name} class={width}>
            <dt>{name}</dt>
            <dd>{fact}</dd>
          </div>
        ))}
    </dl>
  );
}
