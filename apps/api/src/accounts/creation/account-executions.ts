import { Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { sql } from '#database';
import { Executions } from '../../persistence/executions';
import { Lease } from '../../persistence/lease';
import { Clock } from '../../runtime/clock';
import { Config } from '../../runtime/config';
import type { Account } from '../account.entity';

/** The account creations that this process works on, with their leases. */
@Injectable()
export class AccountExecutions extends Executions<Account> {
  protected readonly logger = new Logger('Accounts');
  readonly lease: Lease;

  constructor(@InjectDataSource() database: DataSource, clock: Clock, config: Config) {
    super(config.LEASE_MS);
    this.lease = new Lease(database, clock, { table: 'accounts', durationMs: config.LEASE_MS });
  }

  /** Runs a creation whose row the caller has leased. */
  run(id: string, creation: Promise<Account>): Promise<Account> {
    return this.track(id, creation);
  }

  /** The creation of an account in this process, if there is one. */
  of(id: string): Promise<Account> | undefined {
    return this.runningOn(id);
  }

  /** Only while it is being created: afterwards the lease is one of rotations and closings. */
  protected renewLeases(ids: string[]): Promise<void> {
    return this.lease.renew(ids, sql`state = 'creating'`);
  }
}
