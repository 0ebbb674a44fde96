import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Months of the ledger whose rows were moved into files, and what stays of each transaction of them: its key, so that none is recorded again.
 * Rows are deleted by their tables' keys only: the ledger's foreign keys into orders and payments, for which it has no index, go. Those by
 * which rows refer to each other in a circle can be deferred.
 */
export class Archive0000000000125 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE archived_months (
        month timestamptz PRIMARY KEY CHECK (month = date_trunc('month', month, 'UTC')),
        file text NOT NULL,
        sha256 text NOT NULL CHECK (sha256 ~ '^[0-9a-f]{64}$'),
        rows bigint NOT NULL,
        archived_at timestamptz NOT NULL
      )`);
    await runner.query(`
      CREATE TABLE archived_transactions (
        key bytea PRIMARY KEY CHECK (octet_length(key) = 16),
        month timestamptz NOT NULL REFERENCES archived_months (month),
        micro_usdc bigint,
        settled_at timestamptz
      )`);
    await runner.query(`
      CREATE FUNCTION archived_key(account_id text, signature text) RETURNS bytea LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
        SELECT substring(sha256(convert_to(account_id || ' ' || signature, 'UTF8')) FOR 16)
      $$`);
    // The sums of an archived month cannot be made from entries.
    await runner.query('ALTER FUNCTION rebuild_ledger_sums() RENAME TO rebuild_ledger_sums_of_all_entries');
    await runner.query(`
      CREATE FUNCTION rebuild_ledger_sums() RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN
        IF EXISTS (SELECT FROM archived_months) THEN
          RAISE EXCEPTION 'Months of the ledger are archived: restore them first, or their sums are lost.';
        END IF;
        RETURN rebuild_ledger_sums_of_all_entries();
      END $$`);
    for (const [name] of LEDGER_KEYS) await runner.query(`ALTER TABLE ledger_entries DROP CONSTRAINT ${name}`);
    for (const [table, name] of CIRCULAR_KEYS) await runner.query(`ALTER TABLE ${table} ALTER CONSTRAINT ${name} DEFERRABLE`);
    for (const [table, column] of SPARSE_REFERENCES)
      await runner.query(`CREATE INDEX ${table}_by_${column} ON ${table} (${column}) WHERE ${column} IS NOT NULL`);
  }

  /** For a database without archived months. */
  async down(runner: QueryRunner): Promise<void> {
    for (const [table, column] of SPARSE_REFERENCES) await runner.query(`DROP INDEX ${table}_by_${column}`);
    for (const [table, name] of CIRCULAR_KEYS) await runner.query(`ALTER TABLE ${table} ALTER CONSTRAINT ${name} NOT DEFERRABLE`);
    for (const [name, column, table] of LEDGER_KEYS)
      await runner.query(`ALTER TABLE ledger_entries ADD CONSTRAINT ${name} FOREIGN KEY (${column}) REFERENCES ${table} (id)`);
    await runner.query('DROP FUNCTION rebuild_ledger_sums()');
    await runner.query('ALTER FUNCTION rebuild_ledger_sums_of_all_entries() RENAME TO rebuild_ledger_sums');
    await runner.query('DROP FUNCTION archived_key(text, text)');
    await runner.query('DROP TABLE archived_transactions, archived_months');
  }
}

const LEDGER_KEYS = [
  ['ledger_entries_order_fkey', 'order_id', 'orders'],
  ['ledger_entries_payment_fkey', 'payment_id', 'payments'],
] as const;

const CIRCULAR_KEYS = [
  ['purses', 'purses_payment_id_fkey'],
  ['orders', 'orders_nonce_of_fkey'],
] as const;

/** References that few rows have, and by which a deleted row is looked for. */
const SPARSE_REFERENCES = [
  ['orders', 'session_id'],
  ['channels', 'paying_payment_id'],
] as const;
