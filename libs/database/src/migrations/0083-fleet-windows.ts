import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When the members of a fleet changed last: the windows of a fleet and of its members are compared from then on. */
export class FleetWindows0000000000083 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE fleets ADD COLUMN members_changed_at timestamptz');
    await runner.query('UPDATE fleets SET members_changed_at = now()');
    await runner.query('ALTER TABLE fleets ALTER COLUMN members_changed_at SET NOT NULL');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE fleets DROP COLUMN members_changed_at');
  }
}
