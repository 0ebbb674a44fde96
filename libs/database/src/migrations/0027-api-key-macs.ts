import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A message authentication code of each API key, under a key that the database does not have. Keys from before have none, and are refused
 * until `npm run operator -- sign-keys`.
 */
export class ApiKeyMacs0000000000027 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE api_keys ADD COLUMN mac bytea');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE api_keys DROP COLUMN mac');
  }
}
