import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A voucher may be sent beside the top-up that covers it. */
export class ToppedUpVouchers0000000000115 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE channels
        DROP CONSTRAINT channels_vouchers,
        ADD CONSTRAINT channels_vouchers CHECK (accepted_micro_usdc >= 0 AND accepted_micro_usdc <= signed_micro_usdc
          AND (status = 'closed' OR signed_micro_usdc <= deposit_micro_usdc + COALESCE(top_up_micro_usdc, 0)))`);
  }

  /** For a database whose vouchers are all covered by their deposits. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE channels
        DROP CONSTRAINT channels_vouchers,
        ADD CONSTRAINT channels_vouchers CHECK (accepted_micro_usdc >= 0 AND accepted_micro_usdc <= signed_micro_usdc AND signed_micro_usdc <= deposit_micro_usdc)`);
  }
}
