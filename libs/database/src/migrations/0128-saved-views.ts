import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Views of the dashboard's lists, saved by operators under names. */
export class SavedViews0000000000128 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE saved_views (
        operator_id text NOT NULL REFERENCES operators (id),
        list text NOT NULL,
        name text NOT NULL,
        search text NOT NULL,
        saved_at timestamptz NOT NULL,
        PRIMARY KEY (operator_id, list, name)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE saved_views');
  }
}
