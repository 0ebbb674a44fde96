import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Purses: one on-chain allowance for many x402 payments. An account has one open charge or purse: `open_charges` locks it for a payment
 * or for a purse. The lock of a purse is taken before its row is inserted, so that `purse_id` there has no foreign key.
 */
export class Purses0000000000011 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE orders
        DROP CONSTRAINT orders_kind,
        DROP CONSTRAINT orders_payee,
        DROP CONSTRAINT orders_delegate_key,
        DROP CONSTRAINT orders_idempotency_key,
        ADD CONSTRAINT orders_kind CHECK (kind IN ('transfer', 'session', 'top_up', 'charge', 'purse')),
        ADD CONSTRAINT orders_payee CHECK ((kind IN ('transfer', 'purse')) = (payee IS NULL)),
        ADD CONSTRAINT orders_delegate_key CHECK ((kind IN ('charge', 'purse')) = (delegate_key IS NOT NULL)),
        ADD CONSTRAINT orders_idempotency_key CHECK ((kind = 'charge' OR (kind = 'purse' AND source = 'backfill')) = (idempotency_key IS NULL))`);
    await runner.query(`
      CREATE TABLE purses (
        id text COLLATE "C" NOT NULL,
        operator_id text COLLATE "C" NOT NULL,
        account_id text COLLATE "C" NOT NULL,
        category text,
        host text,
        micro_usdc bigint NOT NULL,
        committed_micro_usdc bigint NOT NULL DEFAULT 0,
        spent_micro_usdc bigint NOT NULL DEFAULT 0,
        returned_micro_usdc bigint NOT NULL DEFAULT 0,
        expires_in_seconds integer NOT NULL,
        delegate_key text COLLATE "C" NOT NULL,
        delegate_key_sealed text,
        status text NOT NULL DEFAULT 'ordered',
        seq bigint,
        open_signature text COLLATE "C",
        end_signature text COLLATE "C",
        created_at timestamptz NOT NULL,
        opened_at timestamptz,
        expires_at timestamptz,
        closed_at timestamptz,
        lease_until timestamptz NOT NULL DEFAULT '-infinity',
        CONSTRAINT purses_pkey PRIMARY KEY (id),
        CONSTRAINT purses_operator_unique UNIQUE (operator_id, id),
        CONSTRAINT purses_order_fkey FOREIGN KEY (id) REFERENCES orders (id),
        CONSTRAINT purses_account_fkey FOREIGN KEY (operator_id, account_id) REFERENCES accounts (operator_id, id),
        CONSTRAINT purses_status CHECK (status IN ('ordered', 'open', 'closing', 'closed')),
        CONSTRAINT purses_opened CHECK ((status = 'ordered') = (opened_at IS NULL) AND (status = 'ordered') = (expires_at IS NULL)
          AND (status = 'ordered') = (seq IS NULL) AND (status = 'ordered') = (open_signature IS NULL)),
        CONSTRAINT purses_closed CHECK ((status = 'closed') = (closed_at IS NOT NULL) AND (status = 'closed') = (end_signature IS NOT NULL)),
        CONSTRAINT purses_amounts_fit CHECK (committed_micro_usdc BETWEEN 0 AND micro_usdc AND spent_micro_usdc BETWEEN 0 AND micro_usdc),
        CONSTRAINT purses_sums CHECK (status <> 'closed' OR spent_micro_usdc + returned_micro_usdc = micro_usdc)
      )`);
    await runner.query('CREATE INDEX purses_by_operator ON purses (operator_id, id)');
    await runner.query('CREATE INDEX purses_by_account ON purses (account_id, id)');
    await runner.query(`CREATE INDEX purses_alive ON purses (lease_until) WHERE status IN ('open', 'closing')`);
    await runner.query(`
      ALTER TABLE payments
        DROP CONSTRAINT payments_method,
        ADD COLUMN purse_id text COLLATE "C",
        ADD COLUMN delegate_signature text COLLATE "C",
        ADD CONSTRAINT payments_method CHECK (method IN ('voucher', 'charge', 'purse')),
        ADD CONSTRAINT payments_by_purse CHECK (method <> 'purse' OR (purse_id IS NOT NULL AND delegate_signature IS NOT NULL)),
        ADD CONSTRAINT payments_one_source CHECK (session_id IS NULL OR purse_id IS NULL),
        ADD CONSTRAINT payments_delegate_signature_unique UNIQUE (delegate_signature),
        ADD CONSTRAINT payments_purse_fkey FOREIGN KEY (operator_id, purse_id) REFERENCES purses (operator_id, id)`);
    await runner.query('CREATE INDEX payments_of_purse ON payments (purse_id, id) WHERE purse_id IS NOT NULL');
    await runner.query(`
      ALTER TABLE open_charges
        ALTER COLUMN payment_id DROP NOT NULL,
        ADD COLUMN purse_id text COLLATE "C",
        ADD CONSTRAINT open_charges_purse_unique UNIQUE (purse_id),
        ADD CONSTRAINT open_charges_one_holder CHECK ((payment_id IS NULL) <> (purse_id IS NULL))`);
  }

  /** Orders and payments of purses have no form before this migration: their rows go, and their ledger entries stay. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DELETE FROM open_charges WHERE purse_id IS NOT NULL');
    await runner.query(`
      ALTER TABLE open_charges
        DROP CONSTRAINT open_charges_one_holder,
        DROP COLUMN purse_id,
        ALTER COLUMN payment_id SET NOT NULL`);
    await runner.query(`
      UPDATE ledger_entries SET payment_id = NULL FROM payments WHERE payments.id = ledger_entries.payment_id AND payments.purse_id IS NOT NULL`);
    await runner.query('DELETE FROM payments WHERE purse_id IS NOT NULL');
    await runner.query('DROP INDEX payments_of_purse');
    await runner.query(`
      ALTER TABLE payments
        DROP CONSTRAINT payments_method,
        DROP CONSTRAINT payments_by_purse,
        DROP CONSTRAINT payments_one_source,
        DROP COLUMN purse_id,
        DROP COLUMN delegate_signature,
        ADD CONSTRAINT payments_method CHECK (method IN ('voucher', 'charge'))`);
    await runner.query('DROP TABLE purses');
    await runner.query(
      `UPDATE ledger_entries SET order_id = NULL FROM orders WHERE orders.id = ledger_entries.order_id AND orders.kind = 'purse'`,
    );
    await runner.query(`DELETE FROM order_attempts USING orders WHERE orders.id = order_attempts.order_id AND orders.kind = 'purse'`);
    await runner.query(`DELETE FROM orders WHERE kind = 'purse'`);
    await runner.query(`
      ALTER TABLE orders
        DROP CONSTRAINT orders_kind,
        DROP CONSTRAINT orders_payee,
        DROP CONSTRAINT orders_delegate_key,
        DROP CONSTRAINT orders_idempotency_key,
        ADD CONSTRAINT orders_kind CHECK (kind IN ('transfer', 'session', 'top_up', 'charge')),
        ADD CONSTRAINT orders_payee CHECK ((kind = 'transfer') = (payee IS NULL)),
        ADD CONSTRAINT orders_delegate_key CHECK ((kind = 'charge') = (delegate_key IS NOT NULL)),
        ADD CONSTRAINT orders_idempotency_key CHECK ((kind = 'charge') = (idempotency_key IS NULL))`);
  }
}
