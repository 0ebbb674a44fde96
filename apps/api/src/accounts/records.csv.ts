/** Records as CSV. */
import { csvHeader, csvLine as lineOf } from '../http/csv';
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

export const CSV_HEADER = csvHeader(COLUMNS);

/** A record as a line. */
export function csvLine(record: RecordView): string {
  return lineOf(COLUMNS, record);
}
