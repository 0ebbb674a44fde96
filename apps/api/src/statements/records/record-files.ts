import { Injectable } from '@nestjs/common';
import { CSV_COLUMNS, type CsvRecord } from '../../accounts';
import { csvHeader, csvLine } from '../../lists/csv';
import { OrderFees } from '../../orders';

/** A record in a file, with its fee. */
export interface FileRecord extends CsvRecord {
  /** The chain's fee of a payment's transaction, which the service paid. Null for what came in, and for a transaction that others paid for. */
  fee_lamports: string | null;
}

/** The columns of a file of records. */
export const FILE_COLUMNS = [...CSV_COLUMNS, 'fee_lamports'] as const satisfies readonly (keyof FileRecord)[];

/** Files of records: each with the fee of its transaction. */
@Injectable()
export class RecordFiles {
  constructor(private readonly fees: OrderFees) {}

  /** Records with their fees. */
  async withFees(records: readonly CsvRecord[]): Promise<FileRecord[]> {
    const signatureOf = ({ direction, tx_signature: signature }: CsvRecord): string | null => (direction === 'out' ? signature : null);
    const feeOf = await this.fees.bySignature(records.map(signatureOf));
    return records.map((record) => ({ ...record, fee_lamports: feeOf(signatureOf(record)) }));
  }

  /** Chunks of records as CSV: one chunk of text for each. */
  async *csv(chunks: AsyncIterable<CsvRecord[]>): AsyncGenerator<string> {
    let head = csvHeader(FILE_COLUMNS);
    for await (const records of chunks) {
      const lines = await this.withFees(records);
      yield head + lines.map((record) => csvLine(FILE_COLUMNS, record)).join('');
      head = '';
    }
  }
}
