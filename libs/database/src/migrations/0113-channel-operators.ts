import type { MigrationInterface, QueryRunner } from 'typeorm';

/** MPP channels whose vouchers the seller's operator signs: the challenge that the payer's proof names. */
export class ChannelOperators0000000000113 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE channels ADD COLUMN proof_challenge_id text COLLATE "C"');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE channels DROP COLUMN proof_challenge_id');
  }
}
