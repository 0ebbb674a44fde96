import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whether each fee payer was below its reserve when it was last checked, so that one fall is reported once. */
export class FeePayerLevels0000000000034 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE fee_payer_levels (address text PRIMARY KEY, is_low boolean NOT NULL)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE fee_payer_levels');
  }
}
