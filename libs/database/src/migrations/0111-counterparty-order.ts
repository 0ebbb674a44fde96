import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The order in which an operator gave the counterparties of a policy: the chain keeps them in an order of its own. */
export class CounterpartyOrder0000000000111 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE counterparty_names ADD COLUMN place integer NOT NULL DEFAULT 0');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE counterparty_names DROP COLUMN place');
  }
}
