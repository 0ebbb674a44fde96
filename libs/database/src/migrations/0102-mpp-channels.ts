import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Channels that MPP sellers are paid by, voucher by voucher: the highest accepted cumulative amount, the payment whose voucher has no answer,
 * the newest challenge, which the close repeats, and when the service wanted the channel to end and asked its seller. Their records name
 * the purse.
 */
export class MppChannels0000000000102 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE channels
        ADD COLUMN protocol text COLLATE "C" NOT NULL DEFAULT 'x402' CHECK (protocol IN ('mpp', 'x402')),
        ADD COLUMN accepted_micro_usdc bigint NOT NULL DEFAULT 0,
        ADD COLUMN signed_micro_usdc bigint NOT NULL DEFAULT 0,
        ADD COLUMN paying_payment_id text COLLATE "C" REFERENCES payments (id),
        ADD COLUMN challenge jsonb,
        ADD COLUMN idle_seconds integer,
        ADD COLUMN end_wanted_at timestamptz,
        ADD COLUMN seller_asked_at timestamptz,
        ADD CONSTRAINT channels_vouchers CHECK (accepted_micro_usdc >= 0 AND accepted_micro_usdc <= signed_micro_usdc AND signed_micro_usdc <= deposit_micro_usdc),
        ADD CONSTRAINT channels_of_mpp CHECK ((protocol = 'mpp') = (challenge IS NOT NULL) AND (protocol = 'mpp') = (idle_seconds IS NOT NULL))`);
    await runner.query(`CREATE INDEX channels_mpp_open ON channels (created_at) WHERE protocol = 'mpp' AND status <> 'closed'`);
    await runner.query('ALTER TABLE ledger_entries ADD COLUMN purse_id text COLLATE "C"');
    await runner.query(recording(`${COLUMNS}, purse_id`));
  }

  /** What such channels paid stays in the ledger. Open ones are closed by no one afterwards: down is for a database without any. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query(recording(COLUMNS));
    await runner.query('ALTER TABLE ledger_entries DROP COLUMN purse_id');
    await runner.query('DROP INDEX channels_mpp_open');
    await runner.query(`DELETE FROM channels WHERE protocol = 'mpp'`);
    await runner.query(`
      ALTER TABLE channels
        DROP CONSTRAINT channels_of_mpp,
        DROP CONSTRAINT channels_vouchers,
        DROP COLUMN protocol,
        DROP COLUMN accepted_micro_usdc,
        DROP COLUMN signed_micro_usdc,
        DROP COLUMN paying_payment_id,
        DROP COLUMN challenge,
        DROP COLUMN idle_seconds,
        DROP COLUMN end_wanted_at,
        DROP COLUMN seller_asked_at`);
  }
}

const COLUMNS =
  'id, account_id, type, direction, micro_usdc, counterparty, memo, category, signature, session_id, rejection_reason, created_at, settled_at, order_id, payment_id, provider';

/** The function that writes entries, with these of their columns. */
function recording(columns: string): string {
  const values = columns.split(', ').map((column) => `entry.${column}`);
  return `
    CREATE OR REPLACE FUNCTION record_ledger_entries(entries jsonb) RETURNS void LANGUAGE sql AS $$
        INSERT INTO ledger_entries (${columns}, transfer_id, reference, metadata, operator_id)
        SELECT ${values.join(', ')}, entry.transfer_id, entry.reference, COALESCE(entry.metadata, '{}'), accounts.operator_id
        FROM jsonb_populate_recordset(NULL::ledger_entries, entries) AS entry JOIN accounts ON accounts.id = entry.account_id
      $$`;
}
