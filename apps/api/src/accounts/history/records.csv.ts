/** Records as CSV. */
import { type CsvNumber, signedUsdc } from '../../lists/csv';
import type { AccountSelection } from '../account-selection';
import type { RecordView } from './records.dto';

/** A record in a file. */
export interface CsvRecord extends RecordView {
  account_name: string | null;
  /** Null for a counterparty that is not an account of the operator. */
  counterparty_name: string | null;
  /** The amount, negative if it left the account. Null for a decline, which moved nothing. */
  signed_amount_usdc: CsvNumber | null;
  /** The labels that the account has now, joined by a space. */
  labels: string;
}

/** The columns: the members of a record, and those of files alone. `metadata` is JSON. */
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
  'account_name',
  'counterparty_name',
  'signed_amount_usdc',
  'labels',
] as const satisfies readonly (keyof CsvRecord)[];

/** Records with what files add to them: names, signs and labels. */
export async function csvRecords(selection: AccountSelection, operatorId: string, records: readonly RecordView[]): Promise<CsvRecord[]> {
  const parties = records.flatMap(({ account_id, counterparty }) => (counterparty === null ? [account_id] : [account_id, counterparty]));
  const [labels, names] = await Promise.all([
    selection.labelsOf(operatorId, [...new Set(records.map(({ account_id }) => account_id))]),
    selection.namesOf(operatorId, [...new Set(parties)]),
  ]);
  const nameOf = (id: string | null): string | null => (id === null ? null : (names.get(id)?.name ?? null));
  return records.map((record) => ({
    ...record,
    account_name: nameOf(record.account_id),
    counterparty_name: nameOf(record.counterparty),
    signed_amount_usdc: record.type === 'rejection' ? null : signedUsdc(record.direction, record.amount_usdc),
    labels: (labels.get(record.account_id) ?? []).join(' '),
  }));
}
