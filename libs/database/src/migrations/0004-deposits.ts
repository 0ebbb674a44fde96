import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How far each account's token account has been read, and the balance that this explains. */
export class Deposits0000000000004 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE accounts
        ADD COLUMN read_signature text COLLATE "C",
        ADD COLUMN read_micro_usdc bigint NOT NULL DEFAULT 0,
        ADD COLUMN read_record text COLLATE "C",
        ADD COLUMN read_at timestamptz NOT NULL DEFAULT '-infinity'`);
    await runner.query(`CREATE UNIQUE INDEX records_deposit_once ON records (account_id, signature) WHERE type = 'deposit'`);
    await runner.query(`CREATE INDEX records_by_signature ON records (account_id, signature) WHERE signature IS NOT NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX records_by_signature');
    await runner.query('DROP INDEX records_deposit_once');
    await runner.query(
      'ALTER TABLE accounts DROP COLUMN read_signature, DROP COLUMN read_micro_usdc, DROP COLUMN read_record, DROP COLUMN read_at',
    );
  }
}
