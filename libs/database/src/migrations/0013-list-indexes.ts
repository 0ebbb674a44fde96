import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Indexes for the lists of accounts, sessions and purses by status: a rare status is found without a walk through all rows of an operator. */
export class ListIndexes0000000000013 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const [name, on] of INDEXES) await runner.query(`CREATE INDEX ${name} ON ${on}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const [name] of INDEXES) await runner.query(`DROP INDEX ${name}`);
  }
}

const INDEXES = [
  ['accounts_paused', `accounts (operator_id, id) WHERE state = 'open' AND paused`],
  ['sessions_by_state', 'sessions (operator_id, state, id)'],
  ['purses_by_status', 'purses (operator_id, status, id)'],
  ['orders_openings_by_status', `orders (operator_id, kind, status, id) WHERE kind IN ('session', 'purse')`],
] as const;
