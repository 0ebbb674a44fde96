import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { execute, type Row, sql } from '#database';
import { Clock } from '../../runtime/clock';
import { Config } from '../../runtime/config';

/** How long a process believes what it read. */
const KNOWN_FOR_MS = 5_000;

/** Ends what the database cannot know to be as it was: of one account, or of all if it is null. Idempotent. */
export type Cut = (accountId: string | null) => Promise<void>;

/**
 * Restores of the database from a backup. What was paid out of a session or a purse since the backup left no order on chain, so that a
 * restored database cannot tell a payment that is repeated from a new one: every session and purse of the backup is cut, which means that
 * nothing more is paid out of it and that it is ended on chain.
 */
@Injectable()
export class Restores implements OnApplicationBootstrap {
  private readonly logger = new Logger('Restores');
  private readonly cuts: Cut[] = [];
  private known: { at: Date | null; until: number } | undefined;

  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /** Called by each feature with something to cut, before the application starts. */
  register(cut: Cut): void {
    this.cuts.push(cut);
  }

  /** Compares the database with the one that was served last, before any request is. */
  async onApplicationBootstrap(): Promise<void> {
    const identity = await this.identity();
    const [row] = await execute(this.database, sql`SELECT database_identity FROM database_restores`);
    if (row?.database_identity === identity) return;
    if (row?.database_identity !== null) {
      this.logger.warn('This database is a copy of the one that was served before: its open sessions and purses are ended.');
      await this.mark();
    }
    await execute(this.database, sql`UPDATE database_restores SET database_identity = ${identity}`);
  }

  /** The database was restored: cuts every session and purse, and notes the time. */
  async mark(): Promise<void> {
    for (const cut of this.cuts) await cut(null);
    await this.note();
  }

  /** An account has paid orders that the database does not have: cuts its sessions and purses. */
  async markAccount(accountId: string): Promise<void> {
    for (const cut of this.cuts) await cut(accountId);
    await this.note();
  }

  /** Whether idempotency keys of requests may still be in use that a restore has lost. */
  async isRecent(): Promise<boolean> {
    const at = await this.lastAt();
    return at !== null && at.getTime() + this.config.IDEMPOTENCY_TTL_SECONDS * 1000 > this.clock.now().getTime();
  }

  /** Whether an order that was first sent at this time may have been used before a restore, and the database does not know for what. */
  async isBeforeLast(submittedAt: Date | null): Promise<boolean> {
    const at = await this.lastAt();
    return at !== null && submittedAt !== null && submittedAt < at;
  }

  private async lastAt(): Promise<Date | null> {
    if (this.known === undefined || this.known.until < performance.now()) {
      const [row] = await execute(this.database, sql`SELECT restored_at FROM database_restores`);
      this.known = { at: timeOf(row), until: performance.now() + KNOWN_FOR_MS };
    }
    return this.known.at;
  }

  private async note(): Promise<void> {
    await execute(this.database, sql`UPDATE database_restores SET restored_at = ${this.clock.now()}`);
    this.known = undefined;
  }

  /**
   * The marks that distinguish this database from the one that its backup was made of: the server's cluster and its timeline, which a recovery from an
   * archive changes, and the database's own number. A copy of the server's disk has the same.
   */
  private async identity(): Promise<string> {
    const [row] = await execute(
      this.database,
      sql`SELECT concat_ws(' ', (SELECT system_identifier FROM pg_control_system()), (SELECT timeline_id FROM pg_control_checkpoint()),
            (SELECT oid FROM pg_database WHERE datname = current_database())) AS identity`,
    );
    return String(row?.identity);
  }
}

function timeOf(row: Row | undefined): Date | null {
  return row?.restored_at instanceof Date ? row.restored_at : null;
}
