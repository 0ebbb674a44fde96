import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Labels of accounts: words for filters and bulk jobs. */
export class Labels0000000000035 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE accounts ADD COLUMN labels text[] COLLATE "C" NOT NULL DEFAULT '{}', ADD CONSTRAINT accounts_labels CHECK (cardinality(labels) <= 16)`,
    );
    await runner.query(`CREATE INDEX accounts_by_label ON accounts USING gin (labels) WHERE labels <> '{}'`);
    await runner.query(`
      ALTER TABLE bulk_jobs
        ADD COLUMN label text,
        ADD COLUMN labels text[],
        DROP CONSTRAINT bulk_jobs_action,
        ADD CONSTRAINT bulk_jobs_action CHECK (action IN ('pause', 'resume', 'set_policy', 'add_labels', 'remove_labels')),
        ADD CONSTRAINT bulk_jobs_labels CHECK ((action IN ('add_labels', 'remove_labels')) = (labels IS NOT NULL))`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DELETE FROM bulk_jobs WHERE action IN ('add_labels', 'remove_labels')`);
    await runner.query(`
      ALTER TABLE bulk_jobs
        DROP CONSTRAINT bulk_jobs_labels,
        DROP CONSTRAINT bulk_jobs_action,
        ADD CONSTRAINT bulk_jobs_action CHECK (action IN ('pause', 'resume', 'set_policy')),
        DROP COLUMN labels,
        DROP COLUMN label`);
    await runner.query('DROP INDEX accounts_by_label');
    await runner.query('ALTER TABLE accounts DROP COLUMN labels');
  }
}
