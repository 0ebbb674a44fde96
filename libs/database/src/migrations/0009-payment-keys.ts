import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Payments are found by the key that is taken, and never by one that was: that index was only written. A charge answers a challenge of its own. */
export class PaymentKeys0000000000009 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX payments_by_key');
    await runner.query(`CREATE UNIQUE INDEX payments_challenge_once ON payments (operator_id, provider, challenge_id) WHERE delegate_key IS NOT NULL AND status IN ('unknown', 'paid', 'paid_unreceipted')`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX payments_challenge_once');
    await runner.query('CREATE INDEX payments_by_key ON payments (operator_id, idempotency_key)');
  }
}
