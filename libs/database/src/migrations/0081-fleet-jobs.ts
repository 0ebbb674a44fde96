import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Jobs that move accounts into a fleet or out of one, and that end the purses of a paused fleet. */
export class FleetJobs0000000000081 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE bulk_jobs
        ADD COLUMN fleet_id text COLLATE "C",
        ADD COLUMN new_fleet_id text COLLATE "C",
        DROP CONSTRAINT bulk_jobs_action,
        ADD CONSTRAINT bulk_jobs_action
          CHECK (action IN ('pause', 'resume', 'set_policy', 'add_labels', 'remove_labels', 'set_fleet', 'end_purses')),
        ADD CONSTRAINT bulk_jobs_new_fleet CHECK (new_fleet_id IS NULL OR action = 'set_fleet')`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DELETE FROM bulk_jobs WHERE action IN ('set_fleet', 'end_purses')`);
    await runner.query(`
      ALTER TABLE bulk_jobs
        DROP CONSTRAINT bulk_jobs_new_fleet,
        DROP CONSTRAINT bulk_jobs_action,
        ADD CONSTRAINT bulk_jobs_action CHECK (action IN ('pause', 'resume', 'set_policy', 'add_labels', 'remove_labels')),
        DROP COLUMN new_fleet_id,
        DROP COLUMN fleet_id`);
  }
}
