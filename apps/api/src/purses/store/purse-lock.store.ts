import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { execute, type Sql, sql } from '#database';
import { Clock } from '../../runtime/clock';
import type { Purse } from '../purse.entity';

/** The holder of an account's lock: another purse, or a charge if the id is null. */
export interface LockHolder {
  purseId: string | null;
}

/** The SQL of the lock that gives an account one open charge or allowance purse. */
@Injectable()
export class PurseLockStore {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly clock: Clock,
  ) {}

  /** Locks the account for a purse, which may not be stored yet. Returns the holder if another charge or purse has the lock. */
  async lock({ id, accountId }: Pick<Purse, 'id' | 'accountId'>): Promise<LockHolder | undefined> {
    const [taken] = await execute(
      this.database,
      sql`INSERT INTO open_charges (account_id, purse_id, taken_at) VALUES (${accountId}, ${id}, ${this.clock.now()})
          ON CONFLICT DO NOTHING RETURNING account_id`,
    );
    if (taken) return undefined;
    const [row] = await execute(this.database, sql`SELECT purse_id FROM open_charges WHERE account_id = ${accountId}`);
    if (row?.purse_id === id) return undefined;
    return { purseId: row?.purse_id ? String(row.purse_id) : null };
  }

  /** Unlocks the account. Harmless if the purse has no lock, or was opened. */
  async unlock(id: string): Promise<void> {
    await execute(
      this.database,
      sql`DELETE FROM open_charges WHERE purse_id = ${id}
          AND NOT EXISTS (SELECT 1 FROM purses WHERE id = ${id} AND status IN ('open', 'closing'))`,
    );
  }

  /** The ids of purses that locked their account before a time, and are not open. */
  async lockedUnopened(before: Date, limit: number): Promise<string[]> {
    const rows = await execute(
      this.database,
      sql`SELECT purse_id FROM open_charges LEFT JOIN purses ON purses.id = open_charges.purse_id
          WHERE open_charges.purse_id IS NOT NULL AND taken_at <= ${before}
            AND (purses.id IS NULL OR purses.status IN ('ordered', 'closed'))
          ORDER BY taken_at LIMIT ${limit}`,
    );
    return rows.map(({ purse_id }) => String(purse_id));
  }
}

/** The part of the statement that ends a purse, whose row is `moved`, that unlocks its account. */
export function unlockedByEnd(): Sql {
  return sql`DELETE FROM open_charges USING moved WHERE open_charges.purse_id = moved.id`;
}
