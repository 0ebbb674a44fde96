import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Direct transfers: x402 payments by the program's own transfer, which the seller's facilitator completes and sends. Their orders are never
 * sent by the service. `handed_until` is the block height up to which such a transfer may land; `nonce_of` names the direct transfer whose
 * nonce a charge took over. `seller_answers` remembers which sellers take them.
 */
export class DirectTransfers0000000000052 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE orders
        ADD COLUMN handed_until bigint,
        ADD COLUMN nonce_of text COLLATE "C" REFERENCES orders (id),
        DROP CONSTRAINT orders_kind,
        DROP CONSTRAINT orders_destination,
        DROP CONSTRAINT orders_idempotency_key,
        ADD CONSTRAINT orders_kind CHECK (kind IN ('transfer', 'session', 'top_up', 'charge', 'purse', 'direct_transfer')),
        ADD CONSTRAINT orders_destination
          CHECK ((destination IS NOT NULL) = (kind IN ('transfer', 'direct_transfer') OR (kind = 'charge' AND source = 'backfill'))),
        ADD CONSTRAINT orders_idempotency_key
          CHECK (source = 'backfill' OR (kind IN ('charge', 'direct_transfer')) = (idempotency_key IS NULL)),
        ADD CONSTRAINT orders_handed CHECK ((kind = 'direct_transfer') = (handed_until IS NOT NULL)),
        ADD CONSTRAINT orders_nonce_of CHECK (nonce_of IS NULL OR kind = 'charge')`);
    await runner.query(`CREATE INDEX orders_handed_out ON orders (account_id) WHERE kind = 'direct_transfer' AND status = 'submitted'`);
    await runner.query('CREATE INDEX orders_of_nonce ON orders (nonce_of) WHERE nonce_of IS NOT NULL');
    await runner.query(`
      ALTER TABLE payments
        DROP CONSTRAINT payments_method,
        ADD CONSTRAINT payments_method CHECK (method IN ('voucher', 'charge', 'purse', 'transfer'))`);
    await runner.query(`
      CREATE TABLE seller_answers (
        operator_id text COLLATE "C" NOT NULL REFERENCES operators (id),
        host text NOT NULL,
        takes_transfers boolean NOT NULL,
        answered_at timestamptz NOT NULL,
        PRIMARY KEY (operator_id, host))`);
  }

  /** Orders and payments by direct transfer have no form before this migration: their rows go, and their ledger entries stay. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE seller_answers');
    await runner.query(`
      UPDATE ledger_entries SET payment_id = NULL FROM payments WHERE payments.id = ledger_entries.payment_id AND payments.method = 'transfer'`);
    await runner.query(
      `DELETE FROM open_charges USING payments WHERE payments.id = open_charges.payment_id AND payments.method = 'transfer'`,
    );
    await runner.query(`DELETE FROM payments WHERE method = 'transfer'`);
    await runner.query(`
      ALTER TABLE payments
        DROP CONSTRAINT payments_method,
        ADD CONSTRAINT payments_method CHECK (method IN ('voucher', 'charge', 'purse'))`);
    await runner.query('UPDATE orders SET nonce_of = NULL WHERE nonce_of IS NOT NULL');
    await runner.query(`
      UPDATE ledger_entries SET order_id = NULL FROM orders WHERE orders.id = ledger_entries.order_id AND orders.kind = 'direct_transfer'`);
    await runner.query(`DELETE FROM orders WHERE kind = 'direct_transfer'`);
    await runner.query('DROP INDEX orders_of_nonce, orders_handed_out');
    await runner.query(`
      ALTER TABLE orders
        DROP CONSTRAINT orders_nonce_of,
        DROP CONSTRAINT orders_handed,
        DROP CONSTRAINT orders_kind,
        DROP CONSTRAINT orders_destination,
        DROP CONSTRAINT orders_idempotency_key,
        DROP COLUMN nonce_of,
        DROP COLUMN handed_until,
        ADD CONSTRAINT orders_kind CHECK (kind IN ('transfer', 'session', 'top_up', 'charge', 'purse')),
        ADD CONSTRAINT orders_destination CHECK ((destination IS NOT NULL) = (kind = 'transfer' OR (kind = 'charge' AND source = 'backfill'))),
        ADD CONSTRAINT orders_idempotency_key CHECK (source = 'backfill' OR (kind = 'charge') = (idempotency_key IS NULL))`);
  }
}
