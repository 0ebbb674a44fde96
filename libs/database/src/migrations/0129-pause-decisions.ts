import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The order of decisions about pausing: single requests and bulk jobs draw their numbers from one sequence, so that no clock decides which
 * came later.
 */
export class PauseDecisions0000000000129 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE SEQUENCE pause_decisions AS bigint');
    await runner.query('ALTER TABLE accounts ADD COLUMN pause_decision bigint');
    await runner.query(
      'CREATE INDEX accounts_by_pause_decision ON accounts (operator_id, pause_decision) WHERE pause_decision IS NOT NULL',
    );
    await runner.query(`ALTER TABLE bulk_jobs ADD COLUMN pause_decision bigint NOT NULL DEFAULT nextval('pause_decisions')`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE bulk_jobs DROP COLUMN pause_decision');
    await runner.query('ALTER TABLE accounts DROP COLUMN pause_decision');
    await runner.query('DROP SEQUENCE pause_decisions');
  }
}
