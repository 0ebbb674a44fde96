/** Rows of a payouts file as orders, each with its idempotency key. */
import { createHash } from 'node:crypto';
import { CsvError, parse } from 'csv-parse/sync';
import { UsageError } from '../output/exit-codes';

/** A transfer of the file. */
export interface Payout {
  /** The line of the file where it begins, from 1. */
  line: number;
  from: string;
  to: string;
  amount: string;
  memo?: string;
  category?: string;
  reference?: string;
  /** The key of its first attempt. */
  key: string;
  /** Whether the key was derived: then a later attempt after a decline has a key of its own. */
  isDerived: boolean;
}

const COLUMNS = ['from', 'to', 'amount', 'memo', 'category', 'reference', 'idempotency_key'] as const;
type Fields = Partial<Record<(typeof COLUMNS)[number], string>>;

/** More rows than this belong into more than one file. */
export const MAX_ROWS = 10_000;
const AMOUNT = /^\d{1,12}(\.\d{1,6})?$/;
const MAX_KEY_CHARACTERS = 128;
const MAX_MEMO_CHARACTERS = 200;
/** The most wrong rows that one message names. */
const MAX_NAMED = 20;
const HASH_CHARACTERS = 32;

/**
 * Reads a file: a header row, and the columns `to`, `amount`, and optionally `from`, `memo`, `category`, `reference`, `idempotency_key`.
 * A derived key depends on every byte of the file and on the row, or with `batch` on its name and the row's fields.
 * @param from The account that pays if a row names none.
 * @throws UsageError that names each wrong row
 */
export function readPayouts(content: Uint8Array, { from, batch }: { from?: string; batch?: string }): Payout[] {
  const rows = parseRows(content);
  if (rows.length === 0) throw new UsageError('The file has no rows.');
  if (rows.length > MAX_ROWS) throw new UsageError(`The file has ${rows.length} rows: at most ${MAX_ROWS} are possible.`);
  const keyOf = batch === undefined ? fileKeys(content) : batchKeys(batch);
  const problems: string[] = [];
  const lineOfKey = new Map<string, number>();
  const payouts = rows.map(({ record, line }, index): Payout => {
    const fields = Object.fromEntries(Object.entries(record).filter(([, value]) => value !== '')) as Fields;
    const { idempotency_key: given, to = '', amount = '', ...texts } = fields;
    const payout = { line, ...texts, from: fields.from ?? from ?? '', to, amount, isDerived: given === undefined };
    const key = given ?? keyOf(payout, index);
    problems.push(...problemsOf(payout, key).map((problem) => `line ${line}: ${problem}`));
    const first = lineOfKey.get(key);
    if (first !== undefined) problems.push(`line ${line}: idempotency_key is that of line ${first}`);
    lineOfKey.set(key, line);
    return { ...payout, key };
  });
  if (problems.length > 0) throw new UsageError(['Nothing was paid.', ...problems.slice(0, MAX_NAMED), ...more(problems)].join('\n'));
  return payouts;
}

function parseRows(content: Uint8Array): { record: Record<string, string>; line: number }[] {
  try {
    const rows: { record: Record<string, string>; info: { lines: number } }[] = parse(Buffer.from(content), {
      bom: true,
      columns: (header: string[]) => checkedHeader(header.map((name) => name.trim().toLowerCase())),
      info: true,
      skip_empty_lines: true,
      trim: true,
    });
    return rows.map(({ record, info: { lines } }) => ({ record, line: lines }));
  } catch (error) {
    if (error instanceof CsvError) throw new UsageError(`The file is no CSV: ${error.message}`);
    throw error;
  }
}

function checkedHeader(header: string[]): string[] {
  const unknown = header.filter((name) => !COLUMNS.some((column) => column === name));
  if (unknown.length > 0) throw new UsageError(`Unknown column ${unknown.join(', ')}: the columns are ${COLUMNS.join(', ')}.`);
  for (const name of ['to', 'amount']) if (!header.includes(name)) throw new UsageError(`The column ${name} is missing.`);
  if (new Set(header).size < header.length) throw new UsageError('A column is there twice.');
  return header;
}

function problemsOf({ from, to, amount, memo = '' }: Omit<Payout, 'key'>, key: string): string[] {
  return [
    ...(from === '' ? ['from is missing: add the column or --from'] : []),
    ...(to === '' ? ['to is missing'] : []),
    ...(AMOUNT.test(amount) && !/^[0.]+$/.test(amount) ? [] : ['amount must be USDC above 0, such as 12.50']),
    ...([...memo].length > MAX_MEMO_CHARACTERS ? [`memo is longer than ${MAX_MEMO_CHARACTERS} characters`] : []),
    ...([...key].length > MAX_KEY_CHARACTERS ? [`idempotency_key is longer than ${MAX_KEY_CHARACTERS} characters`] : []),
  ];
}

function fileKeys(content: Uint8Array): (payout: Omit<Payout, 'key'>, index: number) => string {
  const file = hash(content);
  return (_payout, index) => `file-${file}-${index + 1}`;
}

/** Keys that survive a change of other rows. Equal rows are counted. */
function batchKeys(batch: string): (payout: Omit<Payout, 'key'>) => string {
  const counts = new Map<string, number>();
  return ({ from, to, amount, memo, category, reference }) => {
    const row = hash(JSON.stringify([batch, from, to, amount, memo, category, reference]));
    const count = (counts.get(row) ?? 0) + 1;
    counts.set(row, count);
    return `batch-${row}-${count}`;
  };
}

function hash(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex').slice(0, HASH_CHARACTERS);
}

function more(problems: string[]): string[] {
  return problems.length > MAX_NAMED ? [`and ${problems.length - MAX_NAMED} more`] : [];
}
