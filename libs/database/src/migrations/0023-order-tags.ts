import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What a database needs that is restored beside a newer chain: the secret by which ids of orders are tagged, so that a landed order is
 * recognized by the request that asks for it again; which database this is and when it was restored; and orders, sessions and purses that
 * are written from the chain.
 */
export class OrderTags0000000000023 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE order_tag_secret (
        only_row boolean NOT NULL DEFAULT true,
        secret bytea NOT NULL,
        CONSTRAINT order_tag_secret_pkey PRIMARY KEY (only_row),
        CONSTRAINT order_tag_secret_only_row CHECK (only_row)
      )`);
    // 244 random bits of the server's strong generator.
    await runner.query(`
      INSERT INTO order_tag_secret (secret) VALUES (sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())))`);
    await runner.query(`
      CREATE TABLE database_restores (
        only_row boolean NOT NULL DEFAULT true,
        database_identity text,
        restored_at timestamptz,
        CONSTRAINT database_restores_pkey PRIMARY KEY (only_row),
        CONSTRAINT database_restores_only_row CHECK (only_row)
      )`);
    await runner.query('INSERT INTO database_restores DEFAULT VALUES');
    await runner.query(`
      ALTER TABLE orders
        DROP CONSTRAINT orders_idempotency_key,
        ADD CONSTRAINT orders_idempotency_key CHECK (source = 'backfill' OR (kind = 'charge') = (idempotency_key IS NULL))`);
    await runner.query(
      `CREATE INDEX orders_unclaimed ON orders (operator_id, kind, "right"(id, 12)) WHERE source = 'backfill' AND idempotency_key IS NULL`,
    );
    await runner.query(`
      ALTER TABLE sessions
        ALTER COLUMN voucher_key_sealed DROP NOT NULL,
        ADD COLUMN cut_at timestamptz`);
    await runner.query('ALTER TABLE purses ADD COLUMN cut_at timestamptz');
    await runner.query('CREATE INDEX sessions_cut ON sessions (account_id) WHERE cut_at IS NOT NULL');
    await runner.query('CREATE INDEX purses_cut ON purses (account_id) WHERE cut_at IS NOT NULL');
  }

  /** @throws where an order, a session or a purse was written from the chain that the version before could not hold. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX sessions_cut, purses_cut');
    await runner.query('ALTER TABLE purses DROP COLUMN cut_at');
    await runner.query('ALTER TABLE sessions DROP COLUMN cut_at, ALTER COLUMN voucher_key_sealed SET NOT NULL');
    await runner.query('DROP INDEX orders_unclaimed');
    await runner.query(`
      ALTER TABLE orders
        DROP CONSTRAINT orders_idempotency_key,
        ADD CONSTRAINT orders_idempotency_key CHECK ((kind = 'charge' OR (kind = 'purse' AND source = 'backfill')) = (idempotency_key IS NULL))`);
    await runner.query('DROP TABLE database_restores');
    await runner.query('DROP TABLE order_tag_secret');
  }
}
