import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Message authentication codes of accounts' addresses. An account without one is no recipient by its id or handle until
 * `npm run operator -- sign-keys`.
 */
export class AccountMacs0000000000037 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE accounts ADD COLUMN mac bytea');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE accounts DROP COLUMN mac');
  }
}
