import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A direct transfer that settles or expires finds its payment by its order. Payments of sessions and purses have no order. */
export class PaymentsByOrder0000000000054 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX payments_by_order ON payments (order_id) WHERE order_id IS NOT NULL');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX payments_by_order');
  }
}
