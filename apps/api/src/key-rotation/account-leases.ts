import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { hydrate, type Sql, sql } from '#database';
import { Account } from '../accounts';
import { Lease } from '../persistence/lease';
import { Clock } from '../runtime/clock';

/** Longer than three blockhashes live: when a lease ends, nothing that was sent under it can land any more. */
const LEASE_MS = 300_000;
const BATCH = 20;

const CLEAR_AUTHORITY = sql`pending_authority_key = NULL, pending_authority_key_sealed = NULL`;

/** Leases of accounts for the rotation of their authority and for their closing: one process at a time. */
@Injectable()
export class AccountLeases {
  private readonly lease: Lease;

  constructor(
    @InjectDataSource() private readonly database: DataSource,
    clock: Clock,
  ) {
    this.lease = new Lease(database, clock, { table: 'accounts', durationMs: LEASE_MS });
  }

  /** Takes an account to close it. Undefined while another process has it. */
  async takeForClosing(id: string): Promise<Account | undefined> {
    return this.take(id, sql`closing = true`);
  }

  /** Takes an account to rotate its authority to a key, unless an earlier one is pending: that may be on chain already. */
  async takeForRotation(id: string, pending: { key: string; sealed: string }): Promise<Account | undefined> {
    const set = sql`pending_authority_key = COALESCE(pending_authority_key, ${pending.key}),
      pending_authority_key_sealed = COALESCE(pending_authority_key_sealed, ${pending.sealed})`;
    return this.take(id, set);
  }

  /** Takes accounts whose closing was left undone. */
  overdueClosings(): Promise<Account[]> {
    return this.overdue(sql`closing`);
  }

  /** Takes accounts whose rotation was left undone. */
  overdueRotations(): Promise<Account[]> {
    return this.overdue(sql`pending_authority_key IS NOT NULL`);
  }

  /** The account stays open: nothing that was sent can close it any more. */
  cancelClosing(id: string): Promise<void> {
    return this.lease.release(id, { set: sql`closing = false` });
  }

  /** The pending authority was never sent. */
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
