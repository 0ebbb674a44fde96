import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The hosts that an account, or an agent key, may pay. Null allows all. */
export class AllowedHosts0000000000042 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE accounts ADD COLUMN allowed_hosts text[], ADD COLUMN allowed_hosts_updated_at timestamptz');
    await runner.query('ALTER TABLE api_keys ADD COLUMN allowed_hosts text[]');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE api_keys DROP COLUMN allowed_hosts');
    await runner.query('ALTER TABLE accounts DROP COLUMN allowed_hosts, DROP COLUMN allowed_hosts_updated_at');
  }
}
