import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Payments by charge and out of purses are looked at once more when they are finalized: when one was reversed. */
export class ReversedPayments0000000000036 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE payments ADD COLUMN reversed_at timestamptz');
    await runner.query(
      `CREATE INDEX payments_by_settlement ON payments (final_at) WHERE status IN ('paid', 'paid_unreceipted') AND signature IS NOT NULL`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX payments_by_settlement');
    await runner.query('ALTER TABLE payments DROP COLUMN reversed_at');
  }
}
