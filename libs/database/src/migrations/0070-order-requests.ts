import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The request that placed an order. Orders from before have none. The column is added without rewriting the table. */
export class OrderRequests0000000000070 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE orders ADD COLUMN request_id text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE orders DROP COLUMN request_id');
  }
}
