import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What settled is looked at once more when it is finalized: how far that is done, and what was reversed. Accounts that are open already count
 * as finalized.
 */
export class Finality0000000000025 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE accounts ADD COLUMN finalized boolean NOT NULL DEFAULT false');
    await runner.query(`UPDATE accounts SET finalized = true WHERE state = 'open'`);
    await runner.query(`CREATE INDEX accounts_not_finalized ON accounts (id) WHERE state = 'open' AND NOT finalized`);
    await runner.query('ALTER TABLE orders ADD COLUMN reversed_at timestamptz');
    await runner.query(`CREATE INDEX orders_by_settlement ON orders (settled_at) WHERE status = 'settled'`);
    await runner.query('ALTER TABLE sessions ADD COLUMN reversed_at timestamptz');
    await runner.query(`CREATE INDEX sessions_by_end ON sessions (closed_at) WHERE state = 'settled'`);
    await runner.query('ALTER TABLE purses ADD COLUMN reversed_at timestamptz');
    await runner.query(`CREATE INDEX purses_by_end ON purses (closed_at) WHERE status = 'closed'`);
    await runner.query(`
      CREATE TABLE finality_marks (
        what text COLLATE "C" NOT NULL,
        checked_until timestamptz NOT NULL,
        CONSTRAINT finality_marks_pkey PRIMARY KEY (what)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE finality_marks');
    await runner.query('DROP INDEX purses_by_end, sessions_by_end, orders_by_settlement, accounts_not_finalized');
    await runner.query('ALTER TABLE purses DROP COLUMN reversed_at');
    await runner.query('ALTER TABLE sessions DROP COLUMN reversed_at');
    await runner.query('ALTER TABLE orders DROP COLUMN reversed_at');
    await runner.query('ALTER TABLE accounts DROP COLUMN finalized');
  }
}
