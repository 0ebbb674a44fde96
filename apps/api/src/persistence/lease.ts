import type { DataSource } from 'typeorm';
import { execute, type Row, raw, type Sql, sql } from '#database';
import type { Clock } from '../runtime/clock';

/** A process renews its leases this often in the length of one. */
export const RENEWALS_PER_LEASE = 3;

/** The rows to claim. */
interface Claim {
  /** The rows that have work left, as a condition on the table's columns. Rows that are leased are left out. */
  where: Sql;
  /** The most rows that are claimed at once: those whose lease ended first. */
  limit: number;
  /** Further assignments that are made with the claim. */
  set?: Sql;
}

/**
 * A row's exclusive use by one process until a time, kept in a column of the row. A process that dies leaves its rows to others when
 * the lease ends. A lease is not a lock: work that outlives it must be safe to do twice.
 */
export class Lease {
  private readonly table: Sql;
  private readonly column: Sql;

  constructor(
    private readonly database: DataSource,
    private readonly clock: Clock,
    private readonly options: { table: string; column?: string; durationMs: number },
  ) {
    this.table = raw(options.table);
    this.column = raw(options.column ?? 'lease_until');
  }

  /** When a lease ends that begins now. */
  end(): Date {
    return new Date(this.clock.now().getTime() + this.options.durationMs);
  }

  /** Claims rows for this process. Rows that another transaction has locked are left out. Returns the rows as they are after it. */
  claim({ where, limit, set }: Claim): Promise<Row[]> {
    const { table, column } = this;
    return execute(
      this.database,
      sql`UPDATE ${table} SET ${column} = ${this.end()}${set ? sql`, ${set}` : sql``} WHERE id IN (
            SELECT id FROM ${table} WHERE ${where} AND ${column} <= ${this.clock.now()} ORDER BY ${column} LIMIT ${limit}
              FOR UPDATE SKIP LOCKED)
          RETURNING *`,
    );
  }

  /** Claims one row, waiting for a transaction that changes it at the moment. Undefined if it is leased, or `where` does not hold. */
  async claimOne(id: string, { where, set }: Omit<Claim, 'limit'>): Promise<Row | undefined> {
    const { table, column } = this;
    const [row] = await execute(
      this.database,
      sql`UPDATE ${table} SET ${column} = ${this.end()}${set ? sql`, ${set}` : sql``}
          WHERE id = ${id} AND ${where} AND ${column} <= ${this.clock.now()} RETURNING *`,
    );
    return row;
  }

  /** Renews the leases of rows that this process works on, and that `where` holds for. */
  async renew(ids: string[], where: Sql = sql`true`): Promise<void> {
    await execute(this.database, sql`UPDATE ${this.table} SET ${this.column} = ${this.end()} WHERE id = ANY(${ids}) AND ${where}`);
  }

  /** Ends a lease now, or in `inMs` milliseconds, with further assignments. */
  async release(id: string, { inMs = 0, set }: { inMs?: number; set?: Sql } = {}): Promise<void> {
    const until = new Date(this.clock.now().getTime() + inMs);
    await execute(this.database, sql`UPDATE ${this.table} SET ${this.column} = ${until}${set ? sql`, ${set}` : sql``} WHERE id = ${id}`);
  }
}
