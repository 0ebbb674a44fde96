import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Indexes of the keys that are no longer in use: a declined order or payment keeps its key for its own account when another account takes
 * it. Few rows have such a key.
 */
export class KeptKeys0000000000028 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX orders_freed_keys');
    await runner.query(
      `CREATE INDEX orders_freed_keys ON orders (operator_id, idempotency_key)
       WHERE active_idempotency_key IS NULL AND idempotency_key IS NOT NULL`,
    );
    await runner.query('CREATE INDEX payments_freed_keys ON payments (operator_id, idempotency_key) WHERE active_idempotency_key IS NULL');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX payments_freed_keys');
    await runner.query('DROP INDEX orders_freed_keys');
    await runner.query(
      `CREATE INDEX orders_freed_keys ON orders (operator_id, idempotency_key) WHERE kind = 'transfer' AND active_idempotency_key IS NULL`,
    );
  }
}
