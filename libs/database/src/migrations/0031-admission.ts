import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What the transactions of an account's orders cost, by the hour, and the bounds of new orders. `admit_order` takes the account's orders
 * one after another: requests at the same time do not exceed a bound together.
 */
export class Admission0000000000031 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE account_fees (
        account_id text NOT NULL REFERENCES accounts (id),
        hour timestamptz NOT NULL,
        lamports bigint NOT NULL CHECK (lamports > 0),
        PRIMARY KEY (account_id, hour)
      )`);
    await runner.query(`
      CREATE FUNCTION admit_order(account text, at timestamptz, cost bigint, budget bigint, most_pending integer, is_dry boolean)
        RETURNS void LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM pg_advisory_xact_lock(hashtextextended('admit_order ' || account, 0));
        IF most_pending IS NOT NULL AND most_pending <= (
            SELECT count(*) FROM orders WHERE account_id = account AND final_at IS NULL
              AND (status = 'pending_approval' OR (status = 'created' AND seq IS NULL AND NOT approved))) THEN
          RAISE EXCEPTION 'the account has % orders that wait for approval', most_pending USING ERRCODE = 'AP001';
        END IF;
        IF cost IS NULL THEN RETURN; END IF;
        IF budget < cost + (SELECT COALESCE(sum(lamports), 0) FROM account_fees
            WHERE account_id = account AND hour > at - interval '25 hours') THEN
          RAISE EXCEPTION 'the account has spent its fee budget' USING ERRCODE = 'AP002';
        END IF;
        IF is_dry THEN RETURN; END IF;
        INSERT INTO account_fees (account_id, hour, lamports) VALUES (account, date_trunc('hour', at), cost)
          ON CONFLICT (account_id, hour) DO UPDATE SET lamports = account_fees.lamports + cost;
        DELETE FROM account_fees WHERE account_id = account AND hour <= at - interval '25 hours';
      END $$`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP FUNCTION admit_order(text, timestamptz, bigint, bigint, integer, boolean)');
    await runner.query('DROP TABLE account_fees');
  }
}
