import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Channels that are paid voucher by voucher, of MPP sessions and of x402 `batch-settlement`, beside those of one call. */
export class VoucherChannels0000000000114 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE channels ADD COLUMN pays_by text COLLATE "C" NOT NULL DEFAULT 'call' CHECK (pays_by IN ('call', 'vouchers'))`);
    await runner.query(`UPDATE channels SET pays_by = 'vouchers' WHERE protocol = 'mpp'`);
    await runner.query(`
      ALTER TABLE channels
        DROP CONSTRAINT channels_of_mpp,
        ADD CONSTRAINT channels_by_vouchers CHECK ((pays_by = 'vouchers') = (challenge IS NOT NULL) AND (pays_by = 'vouchers') = (idle_seconds IS NOT NULL)),
        ADD CONSTRAINT channels_of_mpp CHECK (protocol <> 'mpp' OR pays_by = 'vouchers')`);
    await runner.query('DROP INDEX channels_mpp_open');
    await runner.query(`CREATE INDEX channels_vouchers_open ON channels (created_at) WHERE pays_by = 'vouchers' AND status <> 'closed'`);
  }

  /** For a database without channels of `batch-settlement`. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX channels_vouchers_open');
    await runner.query(`CREATE INDEX channels_mpp_open ON channels (created_at) WHERE protocol = 'mpp' AND status <> 'closed'`);
    await runner.query(`
      ALTER TABLE channels
        DROP CONSTRAINT channels_by_vouchers,
        DROP CONSTRAINT channels_of_mpp,
        DROP COLUMN pays_by,
        ADD CONSTRAINT channels_of_mpp CHECK ((protocol = 'mpp') = (challenge IS NOT NULL) AND (protocol = 'mpp') = (idle_seconds IS NOT NULL))`);
  }
}
