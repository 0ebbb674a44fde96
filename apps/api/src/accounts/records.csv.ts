/** Records as CSV by RFC 4180: CRLF after each line, and fields in quotes where they need them. */
import type { RecordView } from './records.dto';

/** The columns, which are the members of a record. `metadata` is JSON. */
const COLUMNS = [
  'id',
  'account_id',
  'type',
  'status',
  'amount_usdc',
  'direction',
  'counterparty',
  'memo',
  'category',
  'reference',
  'metadata',
  'provider',
  'tx_signature',
  'chain_explorer_url',
  'rejection_reason',
  'transfer_id',
  'payment_id',
  'session_id',
  'created_at',
  'settled_at',
] as const satisfies readonly (keyof RecordView)[];

export const CSV_HEADER = line(COLUMNS);

/** A record as a line. A null is an empty field. */
export function csvLine(record: RecordView): string {
  return line(COLUMNS.map((column) => field(record[column])));
}

function field(value: RecordView[keyof RecordView]): string {
  if (value === null) return '';
  return harmless(typeof value === 'string' ? value : JSON.stringify(value));
}

/** Spreadsheets take a text that begins with one of these for a formula. */
function harmless(text: string): string {
  return /^[=+\-@]/.test(text) ? `'${text}` : text;
}

function line(fields: readonly string[]): string {
  return `${fields.map(quoted).join(',')}\r\n`;
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
