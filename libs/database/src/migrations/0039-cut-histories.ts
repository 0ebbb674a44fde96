import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The rules of orders, sessions and purses about their signatures: [table, constraint, before, after]. */
const RULES = [
  [
    'orders',
    'orders_settled_is_signed',
    `(status = 'settled') = (signature IS NOT NULL) AND (status = 'settled') = (settled_at IS NOT NULL)`,
    `(status = 'settled' OR signature IS NULL) AND (status = 'settled') = (settled_at IS NOT NULL)`,
  ],
  [
    'sessions',
    'sessions_closed',
    `(state = 'settled') = (closed_at IS NOT NULL) AND (state = 'settled') = (end_signature IS NOT NULL)`,
    `(state = 'settled') = (closed_at IS NOT NULL) AND (state = 'settled' OR end_signature IS NULL)`,
  ],
  [
    'purses',
    'purses_opened',
    `(status = 'ordered') = (opened_at IS NULL) AND (status = 'ordered') = (expires_at IS NULL)
          AND (status = 'ordered') = (seq IS NULL) AND (status = 'ordered') = (open_signature IS NULL)`,
    `(status = 'ordered') = (opened_at IS NULL) AND (status = 'ordered') = (expires_at IS NULL)
          AND (status = 'ordered') = (seq IS NULL) AND (status <> 'ordered' OR open_signature IS NULL)`,
  ],
  [
    'purses',
    'purses_closed',
    `(status = 'closed') = (closed_at IS NOT NULL) AND (status = 'closed') = (end_signature IS NOT NULL)`,
    `(status = 'closed') = (closed_at IS NOT NULL) AND (status = 'closed' OR end_signature IS NULL)`,
  ],
] as const;

/**
 * What the state of the chain shows although no node has its transaction any more has no signature. And whether nodes have lost transactions of an
 * account that it has not read, so that what arrived by them is a difference of its balance.
 */
export class CutHistories0000000000039 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE accounts ADD COLUMN history_cut boolean NOT NULL DEFAULT false');
    for (const [table, name, , after] of RULES)
      await runner.query(`ALTER TABLE ${table} DROP CONSTRAINT ${name}, ADD CONSTRAINT ${name} CHECK (${after})`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const [table, name, before] of RULES)
      await runner.query(`ALTER TABLE ${table} DROP CONSTRAINT ${name}, ADD CONSTRAINT ${name} CHECK (${before})`);
    await runner.query('ALTER TABLE accounts DROP COLUMN history_cut');
  }
}
