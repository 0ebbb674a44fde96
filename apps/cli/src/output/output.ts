/** The output of commands: one JSON value with --json, or else tables. */
import Table from 'cli-table3';
import { bold, coloured, hasColours, relativeTime } from './terminal';

/** The content of a cell. A date is shown relative to now. */
type Cell = string | number | Date | null | undefined;

/** A column: its title, and the content of a row. The column `status` has colours on a terminal. */
export type Columns<Row> = Record<string, (row: Row) => Cell>;

/** A moment of the API, for a column of times. */
export function timeOf(moment: string | null | undefined): Date | null {
  return moment ? new Date(moment) : null;
}

const NO_BORDERS = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: '  ',
};

/** A table with one line a row. */
export function table<Row>(columns: Columns<Row>, rows: readonly Row[], isColoured = hasColours()): string {
  const now = new Date();
  const cells = new Table({
    head: Object.keys(columns).map((title) => (isColoured ? bold(title) : title)),
    chars: NO_BORDERS,
    style: { head: [], border: [], compact: true, 'padding-left': 0, 'padding-right': 0 },
  });
  for (const row of rows) {
    const texts = Object.entries(columns).map(([title, cell]) => {
      const value = cell(row);
      const text = value instanceof Date ? relativeTime(value, now) : plain(value);
      return isColoured && title === 'status' ? coloured(text) : text;
    });
    cells.push(texts);
  }
  return trimmed(cells.toString());
}

/** An object as lines of name and value. Absent values are left out. */
export function card(fields: Record<string, string | number | boolean | null | undefined>): string {
  const cells = new Table({ chars: NO_BORDERS, style: { head: [], border: [], compact: true, 'padding-left': 0, 'padding-right': 0 } });
  for (const [name, value] of Object.entries(fields)) if (value !== null && value !== undefined) cells.push([name, plain(value)]);
  return trimmed(cells.toString());
}

/** A value without control characters: a name or memo of another party must not move the terminal's cursor. */
export function plain(value: string | number | boolean | null | undefined): string {
  return value === null || value === undefined
    ? '-'
    : String(value).replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, ' ');
}

/** Sentences as indented lines. */
export function indented(sentences: string[]): string[] {
  return sentences.map((sentence) => `  ${plain(sentence)}`);
}

function trimmed(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}
