import type { DataSource } from 'typeorm';
import { execute, join, type Row, raw, type Sql, sql } from '#database';

/** A key may be freed between the insert that finds it taken and the read that looks for its holder: then the insert is repeated. */
const MAX_INSERTS = 3;

/**
 * Idempotency keys, as a column of the rows that they create: the column holds the key while it is in use, and NULL once another
 * request may use it. A unique constraint over the scope and the column decides between concurrent requests.
 */
export class IdempotencyKeys {
  private readonly table: Sql;
  private readonly column: Sql;

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
    },
  ) {
    this.table = raw(options.table);
    this.column = raw(options.column);
  }

  /** The row that holds a key now; undefined where the key is free. */
  async holder(scope: readonly string[], key: string): Promise<Row | undefined> {
    const { table, options } = this;
    const [row] = await execute(
      this.database,
      sql`SELECT * FROM ${table} WHERE ${this.isKey(scope, key)} AND (${options.isFree()}) IS NOT TRUE`,
    );
    return row;
  }

  /**
   * Inserts a row, unless its key is in use. `insert` runs `INSERT … ON CONFLICT DO NOTHING RETURNING` and returns its row, or
   * undefined on a conflict. A key that is no longer in use is freed first. Returns the inserted row, or the row that holds the key.
   */
  async insertOnce(scope: readonly string[], key: string, insert: () => Promise<Row | undefined>): Promise<{ row: Row; isNew: boolean }> {
    for (let tries = 0; tries < MAX_INSERTS; tries++) {
      const inserted = await insert();
      if (inserted) return { row: inserted, isNew: true };
      const holder = await this.holder(scope, key);
      if (holder) return { row: holder, isNew: false };
      await execute(
        this.database,
        sql`UPDATE ${this.table} SET ${this.cleared()} WHERE ${this.isKey(scope, key)} AND ${this.options.isFree()}`,
      );
    }
    throw new Error(`an idempotency key of ${this.options.table} is both in use and free`);
  }

  private cleared(): Sql {
    return join([this.options.column, ...(this.options.clears ?? [])].map((column) => sql`${raw(column)} = NULL`));
  }

  private isKey(scope: readonly string[], key: string): Sql {
    const columns = this.options.scope.map((column, index) => sql`${raw(column)} = ${scope[index]}`);
    return join([...columns, sql`${this.column} = ${key}`], ' AND ');
  }
}
