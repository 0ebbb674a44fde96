import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The address from which an API key was used, noted at most once an hour. */
export class KeyAddresses0000000000120 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE api_keys
        ADD COLUMN last_used_ip text COLLATE "C" CHECK (length(last_used_ip) <= 64),
        ADD COLUMN last_used_ip_at timestamptz,
        ADD CONSTRAINT api_keys_last_used_ip CHECK ((last_used_ip IS NULL) = (last_used_ip_at IS NULL))`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE api_keys
        DROP CONSTRAINT api_keys_last_used_ip,
        DROP COLUMN last_used_ip,
        DROP COLUMN last_used_ip_at`);
  }
}
