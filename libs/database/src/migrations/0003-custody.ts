import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Keys on their way to become current, and accounts on their way to be closed. */
export class Custody0000000000003 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE accounts
        ADD COLUMN pending_authority_key text,
        ADD COLUMN pending_authority_key_sealed text,
        ADD COLUMN closing boolean NOT NULL DEFAULT false,
        ADD CONSTRAINT accounts_pending_authority_whole CHECK ((pending_authority_key IS NULL) = (pending_authority_key_sealed IS NULL)),
        DROP CONSTRAINT accounts_state,
        ADD CONSTRAINT accounts_state CHECK (state IN ('creating', 'open', 'closed'))`);
    await runner.query('CREATE INDEX accounts_in_rotation ON accounts (lease_until) WHERE pending_authority_key IS NOT NULL');
    await runner.query('CREATE INDEX accounts_in_closing ON accounts (lease_until) WHERE closing');
    await runner.query(`
      ALTER TABLE operators
        ADD COLUMN pending_chain_key text COLLATE "C",
        ADD COLUMN pending_chain_key_sealed text,
        ADD COLUMN rotation_lease_until timestamptz NOT NULL DEFAULT '-infinity',
        ADD CONSTRAINT operators_pending_chain_key_whole CHECK ((pending_chain_key IS NULL) = (pending_chain_key_sealed IS NULL))`);
    await runner.query('CREATE INDEX operators_in_rotation ON operators (rotation_lease_until) WHERE pending_chain_key IS NOT NULL');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX operators_in_rotation');
    await runner.query(
      'ALTER TABLE operators DROP COLUMN pending_chain_key, DROP COLUMN pending_chain_key_sealed, DROP COLUMN rotation_lease_until',
    );
    await runner.query('DROP INDEX accounts_in_closing');
    await runner.query('DROP INDEX accounts_in_rotation');
    await runner.query(`
      ALTER TABLE accounts
        DROP COLUMN pending_authority_key, DROP COLUMN pending_authority_key_sealed, DROP COLUMN closing,
        DROP CONSTRAINT accounts_state,
        ADD CONSTRAINT accounts_state CHECK (state IN ('creating', 'open'))`);
  }
}
