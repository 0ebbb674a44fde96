/** A database of release 0.1 at schema 9, with rows of all kinds, which a test migrates. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database';
import { migrations } from '../src/migrations';

export type Row = Record<string, unknown>;

/** Its rows by table: transfers, sessions, top-ups, charges that were paid and charges that were backfilled. */
export const BEFORE = JSON.parse(readFileSync(join(__dirname, 'fixtures', 'schema-0009.json'), 'utf8')) as Record<string, Row[]>;

export class OldDatabase {
  private constructor(
    private readonly database: TestDatabase,
    readonly client: Client,
  ) {}

  static async create(): Promise<OldDatabase> {
    const database = await createTestDatabase();
    const client = new Client({ connectionString: database.url });
    await client.connect();
    const old = new OldDatabase(database, client);
    await old.up(9);
    await client.query('BEGIN');
    for (const [table, rows] of Object.entries(BEFORE))
      await client.query(`INSERT INTO ${table} SELECT * FROM jsonb_populate_recordset(NULL::${table}, $1)`, [JSON.stringify(rows)]);
    await client.query('COMMIT');
    return old;
  }

  /** Runs the migrations up to a version. */
  up(version: number): Promise<void> {
    return this.withMigrations(version, (source) => source.runMigrations());
  }

  /** Undoes the migration of a version, the last one that ran. */
  down(version: number): Promise<void> {
    return this.withMigrations(version, (source) => source.undoLastMigration());
  }

  async rows(statement: string): Promise<Row[]> {
    return (await this.client.query<Row>(statement)).rows;
  }

  async drop(): Promise<void> {
    await this.client.end();
    await this.database.drop();
  }

  private async withMigrations(count: number, work: (source: DataSource) => Promise<unknown>): Promise<void> {
    const source = new DataSource({ type: 'postgres', url: this.database.url, migrations: migrations.slice(0, count) });
    await source.initialize();
    await work(source);
    await source.destroy();
  }
}
