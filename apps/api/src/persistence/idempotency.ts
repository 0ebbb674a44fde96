import type { DataSource } from 'typeorm';
import { empty, execute, join, type Row, raw, SharedStatements, type Sql, sql, words } from '#database';
import type { Clock } from '../runtime/clock';

/** A key may be freed between the insert that finds it taken and the read that looks for its holder: then the insert is repeated. */
const MAX_INSERTS = 3;

/** A declined order or payment moved nothing: it must not keep a key from other accounts. */
export const IF_DECLINED = { isHeld: () => sql`status = 'rejected'`, kept: 'idempotency_key' };

/** A value for each column that a key is unique within. Rows with different words of a list share the keys. */
type Scope = readonly (string | readonly string[])[];

/** A row with a key that it holds, or has held. */
export interface KeyHolder {
  accountId: string;
  idempotencyKey: string | null;
  activeIdempotencyKey: string | null;
}

/**
 * Idempotency keys, as a column of the rows that they create: the column holds the key while it is in use, and NULL once another
 * request may use it. A unique constraint over the scope and the column decides between concurrent requests.
 */
export class IdempotencyKeys {
  private readonly table: Sql;
  private readonly column: Sql;
  private readonly lookups: SharedStatements;

  constructor(
    private readonly database: DataSource,
    private readonly options: {
      table: string;
      column: string;
      /** The columns that a key is unique within, such as the operator. */
      scope: readonly string[];
      /** Whether a row's key may be used by another request now. */
      isFree: () => Sql;
      /** Further columns that are NULL when the key is. */
      clears?: readonly string[];
      /** Rows that hold their key against requests of the same account only. They keep it in `kept` when another account takes it. */
      ofAccount?: { isHeld: () => Sql; kept: string };
    },
  ) {
    this.lookups = new SharedStatements(database);
    this.table = raw(options.table);
    this.column = raw(options.column);
  }

  /** The row that holds a key now, against requests of an account; undefined if the key is free. */
  async holder(scope: Scope, key: string, accountId?: string): Promise<Row | undefined> {
    const kept = sql`${this.kept(scope, key, accountId)} ${this.held(scope, key, accountId)} ORDER BY ${this.column} NULLS FIRST`;
    const [row] = await this.lookups.execute(kept);
    return row;
  }

  /** Whether a row holds its key, or may hold it again: no other holds it now. */
  async mayHold(scope: Scope, { idempotencyKey: key, activeIdempotencyKey: active, accountId }: KeyHolder): Promise<boolean> {
    return key === null || active !== null || (await execute(this.database, this.held(scope, key, accountId))).length === 0;
  }

  /** Makes the key of a row that `mayHold` it free for the row. */
  async releaseFor(scope: Scope, { idempotencyKey: key, activeIdempotencyKey: active, accountId }: KeyHolder): Promise<void> {
    if (key !== null && active === null) await this.release(scope, key, accountId);
  }

  /** Takes a key from the row that holds it, if it is free for an account. */
  private async release(scope: Scope, key: string, accountId?: string): Promise<void> {
    const isReleased = sql`${this.isKey(scope, key)} AND ${this.isFree(accountId)}`;
    await execute(this.database, sql`UPDATE ${this.table} SET ${this.cleared()} WHERE ${isReleased}`);
  }

  /**
   * Inserts a row, unless its key is in use. `insert` runs `INSERT … ON CONFLICT DO NOTHING RETURNING` and returns its row, or
   * undefined on a conflict. A key that is no longer in use is freed first. Returns the inserted row, or the row that holds the key.
   */
  async insertOnce(
    scope: Scope,
    key: string,
    insert: () => Promise<Row | undefined>,
    accountId?: string,
  ): Promise<{ row: Row; isNew: boolean }> {
    for (let tries = 0; tries < MAX_INSERTS; tries++) {
      const inserted = await insert();
      if (inserted) return { row: inserted, isNew: true };
      const holder = await this.holder(scope, key, accountId);
      if (holder) return { row: holder, isNew: false };
      await this.release(scope, key, accountId);
    }
    throw new Error(`an idempotency key of ${this.options.table} is both in use and free`);
  }

  private held(scope: Scope, key: string, accountId: string | undefined): Sql {
    return sql`SELECT * FROM ${this.table} WHERE ${this.isKey(scope, key)} AND (${this.isFree(accountId)}) IS NOT TRUE`;
  }

  /** The row of an account that holds a key against this account only, if another account has taken the key: the first part of a union. */
  private kept(scope: Scope, key: string, accountId: string | undefined): Sql {
    const { isFree, ofAccount } = this.options;
    if (!ofAccount || accountId === undefined) return empty;
    return sql`SELECT * FROM ${this.table} WHERE ${this.isScope(scope)} AND ${this.column} IS NULL AND ${raw(ofAccount.kept)} = ${key}
          AND account_id = ${accountId} AND ${ofAccount.isHeld()} AND (${isFree()}) IS NOT TRUE UNION ALL`;
  }

  private isFree(accountId: string | undefined): Sql {
    const { isFree, ofAccount } = this.options;
    if (!ofAccount || accountId === undefined) return isFree();
    return sql`(${isFree()} OR (${ofAccount.isHeld()} AND account_id <> ${accountId}))`;
  }

  private cleared(): Sql {
    return join([this.options.column, ...(this.options.clears ?? [])].map((column) => sql`${raw(column)} = NULL`));
  }

  private isKey(scope: Scope, key: string): Sql {
    return sql`${this.isScope(scope)} AND ${this.column} = ${key}`;
  }

  private isScope(scope: Scope): Sql {
    return join(
      this.options.scope.map((column, index) => isOneOf(raw(column), scope[index])),
      ' AND ',
    );
  }
}

/**
 * The condition that a column has a value, or is one of several words. Words as a parameter would count as ten in a plan for all values, which
 * is then dearer than a plan for these values: PostgreSQL would plan the statement each time.
 */
function isOneOf(column: Sql, value: string | readonly string[] | undefined): Sql {
  return typeof value === 'object' ? sql`${column} IN (${words(value)})` : sql`${column} = ${value}`;
}

/** The keys of creations: a row holds its key until `creation_key_until`, and until `isOver` holds. An operator has its own keys. */
export function creationKeys(database: DataSource, clock: Clock, { table, isOver }: { table: string; isOver: Sql }): IdempotencyKeys {
  return new IdempotencyKeys(database, {
    table,
    column: 'creation_key',
    clears: ['creation_hash', 'creation_key_until'],
    scope: ['operator_id'],
    isFree: () => sql`creation_key_until <= ${clock.now()} AND ${isOver}`,
  });
}
