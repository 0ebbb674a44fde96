import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The result of the last comparison of ledger and chain, and the numbers that a restored database knows nothing of. */
export class Reconciliation0000000000006 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE last_reconciliation (
        only_row boolean NOT NULL DEFAULT true,
        finished_at timestamptz NOT NULL,
        report jsonb NOT NULL,
        CONSTRAINT last_reconciliation_pkey PRIMARY KEY (only_row),
        CONSTRAINT last_reconciliation_is_one CHECK (only_row)
      )`);
    await runner.query('CREATE INDEX transfers_by_seq ON transfers (account_id, seq) WHERE seq IS NOT NULL');
    await runner.query(`
      CREATE TABLE forgotten_numbers (
        account_id text COLLATE "C" NOT NULL,
        seq bigint NOT NULL,
        CONSTRAINT forgotten_numbers_pkey PRIMARY KEY (account_id, seq),
        CONSTRAINT forgotten_numbers_account_fkey FOREIGN KEY (account_id) REFERENCES accounts (id)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE forgotten_numbers');
    await runner.query('DROP INDEX transfers_by_seq');
    await runner.query('DROP TABLE last_reconciliation');
  }
}
