/** Records as CSV. */
import { csvHeader, csvLine as lineOf } from '../lists/csv';
import type { RecordView } from './records.dto';

/** A record with the labels that its account has now, joined by a space. */
export type CsvRecord = RecordView & { labels: string };

/** The columns: the members of a record, and the labels. `metadata` is JSON. */
export const CSV_COLUMNS = [
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
  'purse_id',
  'created_at',
  'settled_at',
  'labels',
] as const satisfies readonly (keyof CsvRecord)[];

export const CSV_HEADER = csvHeader(CSV_COLUMNS);

/** A record as a line. */
export function csvLine(record: CsvRecord): string {
  return lineOf(CSV_COLUMNS, record);
}
