import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Channel purses that requests ask for: their orders have idempotency keys, in one space with those of allowance purses. Payments look
 * for the open ones of their account.
 */
export class AskedChannelPurses0000000000101 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE orders
        DROP CONSTRAINT orders_idempotency_key,
        ADD CONSTRAINT orders_idempotency_key CHECK (
          source = 'backfill' OR kind = 'channel_purse' OR (kind IN ('charge', 'direct_transfer')) = (idempotency_key IS NULL))`);
    await runner.query(
      `CREATE UNIQUE INDEX orders_purse_key ON orders (operator_id, active_idempotency_key) WHERE kind IN ('purse', 'channel_purse')`,
    );
    await runner.query(
      `CREATE INDEX purses_channel_open ON purses (account_id) WHERE kind = 'channel' AND status = 'open' AND payment_id IS NULL`,
    );
  }

  /** Channel purses that were asked for keep their rows, and lose their keys. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX purses_channel_open, orders_purse_key');
    await runner.query(
      `UPDATE orders SET active_idempotency_key = NULL, idempotency_key = NULL WHERE kind = 'channel_purse' AND source <> 'backfill'`,
    );
    await runner.query(`
      ALTER TABLE orders
        DROP CONSTRAINT orders_idempotency_key,
        ADD CONSTRAINT orders_idempotency_key
          CHECK (source = 'backfill' OR (kind IN ('charge', 'direct_transfer', 'channel_purse')) = (idempotency_key IS NULL))`);
  }
}
