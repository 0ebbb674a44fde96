import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The catalogues in which an operator's agents may look for services. */
export class ServiceCatalogues0000000000053 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE service_catalogues (
        operator_id text COLLATE "C" PRIMARY KEY REFERENCES operators (id),
        urls text[] NOT NULL,
        updated_at timestamptz NOT NULL)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE service_catalogues');
  }
}
