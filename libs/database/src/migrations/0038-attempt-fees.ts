import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The fee of each signed transaction of an order once it lands, in lamports. Null in older rows. */
export class AttemptFees0000000000038 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE order_attempts ADD COLUMN fee_lamports bigint CHECK (fee_lamports > 0)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE order_attempts DROP COLUMN fee_lamports');
  }
}
