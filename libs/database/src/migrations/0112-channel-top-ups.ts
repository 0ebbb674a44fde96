import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Top-ups of MPP channels: the amount and the signed transaction that the seller submits, until the chain shows it. */
export class ChannelTopUps0000000000112 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE channels
        ADD COLUMN top_up_micro_usdc bigint CHECK (top_up_micro_usdc > 0),
        ADD COLUMN top_up_transaction text COLLATE "C",
        ADD CONSTRAINT channels_top_up CHECK ((top_up_micro_usdc IS NULL) = (top_up_transaction IS NULL))`);
  }

  /** For a database without top-ups that wait. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE channels DROP CONSTRAINT channels_top_up, DROP COLUMN top_up_micro_usdc, DROP COLUMN top_up_transaction',
    );
  }
}
