/** The months of the ledger that are in files, and what the database still knows of their transactions. */
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { execute, sql } from '#database';
import { monthOf } from './ledger-times';

/** A month whose records are in a file. */
export interface ArchivedMonth {
  /** When it begins, in UTC. */
  month: Date;
  /** The name of the file, without its folder. */
  file: string;
  /** The SHA-256 of the file, in hexadecimal. */
  sha256: string;
}

/** Months are archived oldest first and restored newest first, so that all archived ones lie before all others. */
@Injectable()
export class ArchivedMonths {
  constructor(@InjectDataSource() private readonly database: DataSource) {}

  /** The newest archived month. */
  async newest(): Promise<ArchivedMonth | undefined> {
    const [row] = await execute(this.database, sql`SELECT month, file, sha256 FROM archived_months ORDER BY month DESC LIMIT 1`);
    return row && { month: row.month as Date, file: String(row.file), sha256: String(row.sha256) };
  }

  /** When the first month begins whose records are in the database; null if none is archived. */
  async end(): Promise<Date | null> {
    const newest = await this.newest();
    return newest ? monthOf(newest.month, 1) : null;
  }

  /** The transactions among these that an archived order or record of an account names. */
  async recorded(accountId: string, signatures: string[]): Promise<Set<string>> {
    const rows = await execute(
      this.database,
      sql`SELECT signature FROM unnest(${signatures}::text[]) AS given (signature)
          JOIN archived_transactions ON key = archived_key(${accountId}, signature)`,
    );
    return new Set(rows.map(({ signature }) => String(signature)));
  }
}
