import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Channel purses: purses whose key holds the amount itself, so that metered sellers open payment channels out of it. `payment_id` is the
 * payment that made one for itself. `swept_micro_usdc` came home, `recorded_micro_usdc` is in the ledger; what is neither is held until
 * `gone_at`, when the key's token account was closed. `channels` has one row for each channel that a key signed.
 */
export class ChannelPurses0000000000090 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE orders
        DROP CONSTRAINT orders_kind,
        DROP CONSTRAINT orders_idempotency_key,
        DROP CONSTRAINT orders_payee,
        DROP CONSTRAINT orders_delegate_key,
        ADD CONSTRAINT orders_kind CHECK (kind IN ('transfer', 'session', 'top_up', 'charge', 'purse', 'direct_transfer', 'channel_purse')),
        ADD CONSTRAINT orders_payee CHECK ((kind IN ('transfer', 'purse', 'channel_purse')) = (payee IS NULL)),
        ADD CONSTRAINT orders_delegate_key CHECK ((kind IN ('charge', 'purse', 'channel_purse')) = (delegate_key IS NOT NULL)),
        ADD CONSTRAINT orders_idempotency_key
          CHECK (source = 'backfill' OR (kind IN ('charge', 'direct_transfer', 'channel_purse')) = (idempotency_key IS NULL))`);
    await runner.query(`
      ALTER TABLE purses
        ADD COLUMN kind text COLLATE "C" NOT NULL DEFAULT 'allowance',
        ADD COLUMN payment_id text COLLATE "C" REFERENCES payments (id),
        ADD COLUMN swept_micro_usdc bigint NOT NULL DEFAULT 0,
        ADD COLUMN recorded_micro_usdc bigint NOT NULL DEFAULT 0,
        ADD COLUMN gone_at timestamptz,
        ADD CONSTRAINT purses_kind CHECK (kind IN ('allowance', 'channel')),
        ADD CONSTRAINT purses_of_payment CHECK (payment_id IS NULL OR kind = 'channel'),
        ADD CONSTRAINT purses_gone CHECK (gone_at IS NULL OR (kind = 'channel' AND status = 'closed'))`);
    await runner.query(
      `CREATE INDEX purses_channel_due ON purses (lease_until) WHERE kind = 'channel' AND status <> 'ordered' AND gone_at IS NULL`,
    );
    await runner.query(
      `CREATE INDEX purses_channel_held ON purses (account_id) WHERE kind = 'channel' AND seq IS NOT NULL AND gone_at IS NULL`,
    );
    await runner.query('CREATE INDEX purses_payment ON purses (payment_id) WHERE payment_id IS NOT NULL');
    await runner.query(`
      ALTER TABLE payments
        DROP CONSTRAINT payments_method,
        ADD CONSTRAINT payments_method CHECK (method IN ('voucher', 'charge', 'purse', 'transfer', 'channel'))`);
    await runner.query(`
      CREATE TABLE channels (
        address text COLLATE "C" PRIMARY KEY,
        purse_id text COLLATE "C" NOT NULL REFERENCES purses (id),
        account_id text COLLATE "C" NOT NULL REFERENCES accounts (id),
        payment_id text COLLATE "C" NOT NULL REFERENCES payments (id),
        seller text NOT NULL,
        payee text NOT NULL,
        terms jsonb NOT NULL,
        deposit_micro_usdc bigint NOT NULL CHECK (deposit_micro_usdc > 0),
        settled_micro_usdc bigint CHECK (settled_micro_usdc BETWEEN 0 AND deposit_micro_usdc),
        status text COLLATE "C" NOT NULL DEFAULT 'opening' CHECK (status IN ('opening', 'open', 'closing', 'closed')),
        last_valid_block_height bigint NOT NULL,
        close_at timestamptz NOT NULL,
        created_at timestamptz NOT NULL,
        closed_at timestamptz,
        CONSTRAINT channels_closed CHECK ((status = 'closed') = (closed_at IS NOT NULL) AND (status = 'closed') = (settled_micro_usdc IS NOT NULL)))`);
    await runner.query('CREATE INDEX channels_purse ON channels (purse_id, created_at)');
    await runner.query('CREATE INDEX channels_payment ON channels (payment_id)');
  }

  /** Channel purses have no form before this migration: their rows go, and their ledger entries stay. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE channels');
    await runner.query(`
      UPDATE ledger_entries SET payment_id = NULL FROM payments WHERE payments.id = ledger_entries.payment_id AND payments.method = 'channel'`);
    await runner.query(`UPDATE purses SET payment_id = NULL WHERE kind = 'channel'`);
    await runner.query(`DELETE FROM payments WHERE method = 'channel'`);
    await runner.query(`DELETE FROM purses WHERE kind = 'channel'`);
    await runner.query(`
      UPDATE ledger_entries SET order_id = NULL FROM orders WHERE orders.id = ledger_entries.order_id AND orders.kind = 'channel_purse'`);
    await runner.query(
      `DELETE FROM order_attempts USING orders WHERE orders.id = order_attempts.order_id AND orders.kind = 'channel_purse'`,
    );
    await runner.query(`DELETE FROM orders WHERE kind = 'channel_purse'`);
    await runner.query(`
      ALTER TABLE payments
        DROP CONSTRAINT payments_method,
        ADD CONSTRAINT payments_method CHECK (method IN ('voucher', 'charge', 'purse', 'transfer'))`);
    await runner.query('DROP INDEX purses_channel_due, purses_channel_held, purses_payment');
    await runner.query(`
      ALTER TABLE purses
        DROP CONSTRAINT purses_gone,
        DROP CONSTRAINT purses_of_payment,
        DROP CONSTRAINT purses_kind,
        DROP COLUMN gone_at,
        DROP COLUMN recorded_micro_usdc,
        DROP COLUMN swept_micro_usdc,
        DROP COLUMN payment_id,
        DROP COLUMN kind`);
    await runner.query(`
      ALTER TABLE orders
        DROP CONSTRAINT orders_kind,
        DROP CONSTRAINT orders_idempotency_key,
        DROP CONSTRAINT orders_payee,
        DROP CONSTRAINT orders_delegate_key,
        ADD CONSTRAINT orders_kind CHECK (kind IN ('transfer', 'session', 'top_up', 'charge', 'purse', 'direct_transfer')),
        ADD CONSTRAINT orders_payee CHECK ((kind IN ('transfer', 'purse')) = (payee IS NULL)),
        ADD CONSTRAINT orders_delegate_key CHECK ((kind IN ('charge', 'purse')) = (delegate_key IS NOT NULL)),
        ADD CONSTRAINT orders_idempotency_key
          CHECK (source = 'backfill' OR (kind IN ('charge', 'direct_transfer')) = (idempotency_key IS NULL))`);
  }
}
