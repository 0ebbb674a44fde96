import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Payments are found by the key that is taken, and never by one that was: that index was only written. */
export class PaymentKeys0000000000009 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX payments_by_key');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX payments_by_key ON payments (operator_id, idempotency_key)');
  }
}
