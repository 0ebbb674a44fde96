import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What an operator knows of a provider beside its payee: the key of its operator, whether its facilitator takes transfers of our program, and
 * how long and how much of its answers is read. Before, 30 seconds and 1 MiB were read of every answer.
 */
export class ProviderLimits0000000000050 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE providers
        ALTER COLUMN payee DROP NOT NULL,
        ADD COLUMN operator_key text,
        ADD COLUMN wallet_programs boolean,
        ADD COLUMN max_seconds integer NOT NULL DEFAULT 30 CHECK (max_seconds BETWEEN 1 AND 600),
        ADD COLUMN max_bytes integer NOT NULL DEFAULT 1048576 CHECK (max_bytes BETWEEN 1 AND 104857600)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DELETE FROM providers WHERE payee IS NULL');
    await runner.query(`
      ALTER TABLE providers
        ALTER COLUMN payee SET NOT NULL,
        DROP COLUMN operator_key, DROP COLUMN wallet_programs, DROP COLUMN max_seconds, DROP COLUMN max_bytes`);
  }
}
