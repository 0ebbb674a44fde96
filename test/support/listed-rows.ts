/** 30,000 rows of an operator, one a second, for tests of the rows that a list reads. The eighth is the only one of its kind. */
import type { DataSource } from 'typeorm';
import { createDataSource, firstIdAt, newId } from '#database';
import { insertAccount, insertOperator } from './accounts';
import { operatorCaller } from './caller';
import { createMigratedDatabase, type TestDatabase } from './database';
import { ReadRows } from './rows-read';

export const ROWS = 30_000;
const RARE = 7;
const STARTED_AT = Date.UTC(2026, 0, 1);
const operatorId = newId('op');

/** When the row of an index was made. */
export const at = (index: number): Date => new Date(STARTED_AT + index * 1_000);
/** The account of the usual rows, and that of the rare one. */
export const accounts = [newId('acct'), newId('acct')] as const;
export const caller = operatorCaller(operatorId);

interface Listed {
  table: string;
  entity: NewableFunction;
  /** Of the ids. */
  prefix: Parameters<typeof firstIdAt>[0];
  /**
   * The INSERT up to its FROM, out of `id`, `index`, `is_rare` and `at`; $2 is the operator, $3 the account of the usual rows, $4 that of the
   * rare one.
   */
  insert: string;
}

export class ListedRows {
  private constructor(
    private readonly testDatabase: TestDatabase,
    readonly database: DataSource,
    readonly read: ReadRows,
  ) {}

  static async insert({ table, entity, prefix, insert }: Listed): Promise<ListedRows> {
    const testDatabase = await createMigratedDatabase();
    const database = createDataSource({ url: testDatabase.url, applicationName: `${table} test`, entities: [entity] });
    await database.initialize();
    const rows = new ListedRows(testDatabase, database, new ReadRows(database, table));
    await insertOperator(database, operatorId);
    for (const id of accounts) await insertAccount(database, { id, operatorId });
    const ids = Array.from({ length: ROWS }, (_, index) => firstIdAt(prefix, at(index)));
    await database.query(
      `${insert}
       FROM (SELECT id, index, index = $5 + 1 AS is_rare, to_timestamp($6::bigint + index - 1) AS at
             FROM unnest($1::text[]) WITH ORDINALITY AS given (id, index)) AS given`,
      [ids, operatorId, accounts[0], accounts[1], RARE, STARTED_AT / 1000],
    );
    await database.query(`ANALYZE ${table}`);
    return rows;
  }

  async drop(): Promise<void> {
    await this.database.destroy();
    await this.testDatabase.drop();
  }
}
