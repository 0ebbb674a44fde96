import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Names an account's observed slot as the glossary does. */
export class ObservedSlot0000000000014 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await rename(runner, 'changed_slot', 'observed_slot');
  }

  async down(runner: QueryRunner): Promise<void> {
    await rename(runner, 'observed_slot', 'changed_slot');
  }
}

/** Renames the column, and in the function that raises it: the text of a function does not follow a rename. */
async function rename(runner: QueryRunner, from: string, to: string): Promise<void> {
  await runner.query(`ALTER TABLE accounts RENAME COLUMN ${from} TO ${to}`);
  await runner.query(`
      CREATE OR REPLACE FUNCTION observe_slot(account text, slot bigint) RETURNS void LANGUAGE sql AS $$
        UPDATE accounts SET ${to} = slot WHERE id = account AND ${to} < slot
      $$`);
}
