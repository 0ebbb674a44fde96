import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { hydrate, type Sql, sql } from '#database';
import { Lease } from '../../persistence/lease';
import { Clock } from '../../runtime/clock';
import { Account } from '../account.entity';

/** Longer than the life of three blockhashes: when a lease has ended, no transaction that was sent under it can land. */
const LEASE_MS = 300_000;
const BATCH = 20;

const CLEAR_AUTHORITY = sql`pending_authority_key = NULL, pending_authority_key_sealed = NULL, pending_authority_mac = NULL`;

/** Leases of accounts for rotating their authority and for closing them. */
@Injectable()
export class AccountLeases {
  private readonly lease: Lease;

  constructor(
    @InjectDataSource() private readonly database: DataSource,
    clock: Clock,
  ) {
    this.lease = new Lease(database, clock, { table: 'accounts', durationMs: LEASE_MS });
  }

  /** Claims an account and marks it as closing. Undefined while another process has the lease. */
  async claimForClosing(id: string): Promise<Account | undefined> {
    return this.take(id, sql`closing = true`);
  }

  /** Claims an account and stores the pending authority, unless an earlier one is pending, which may be on chain already. */
  async claimForRotation(id: string, pending: { key: string; sealed: string; mac: Buffer }): Promise<Account | undefined> {
    const set = sql`pending_authority_key = COALESCE(pending_authority_key, ${pending.key}),
      pending_authority_key_sealed = COALESCE(pending_authority_key_sealed, ${pending.sealed}),
      pending_authority_mac = CASE WHEN pending_authority_key IS NULL THEN ${pending.mac}::bytea ELSE pending_authority_mac END`;
    return this.take(id, set);
  }

  /** Claims accounts whose closing was not finished. */
  overdueClosings(): Promise<Account[]> {
    return this.overdue(sql`closing`);
  }

  /** Claims accounts whose rotation was not finished. */
  overdueRotations(): Promise<Account[]> {
    return this.overdue(sql`pending_authority_key IS NOT NULL`);
  }

  /** Cancels a closing of which nothing was sent or can land any more, and releases the lease. */
  cancelClosing(id: string): Promise<void> {
    return this.lease.release(id, { set: sql`closing = false` });
  }

  /** Deletes a pending authority that was never sent, and releases the lease. */
  cancelRotation(id: string): Promise<void> {
    return this.lease.release(id, { set: CLEAR_AUTHORITY });
  }

  private async take(id: string, set: Sql): Promise<Account | undefined> {
    const row = await this.lease.claimOne(id, { where: sql`state = 'open'`, set });
    return row && hydrate(this.database, Account, row);
  }

  private async overdue(where: Sql): Promise<Account[]> {
    const rows = await this.lease.claim({ where: sql`state = 'open' AND ${where}`, limit: BATCH });
    return rows.map((row) => hydrate(this.database, Account, row));
  }
}
