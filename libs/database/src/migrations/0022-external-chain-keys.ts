import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Operators' chain keys that are held outside of the service, and the transactions that their holders are asked to sign. */
export class ExternalChainKeys0000000000022 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE operators
        ALTER COLUMN chain_key_sealed DROP NOT NULL,
        ADD COLUMN chain_key_challenge text,
        ADD COLUMN chain_key_challenge_until timestamptz,
        ADD COLUMN pending_acceptance_text text,
        ADD COLUMN pending_acceptance_signature bytea,
        DROP CONSTRAINT operators_pending_chain_key_whole,
        ADD CONSTRAINT operators_chain_key_challenge_whole CHECK ((chain_key_challenge IS NULL) = (chain_key_challenge_until IS NULL)),
        ADD CONSTRAINT operators_pending_acceptance_whole CHECK ((pending_acceptance_text IS NULL) = (pending_acceptance_signature IS NULL)),
        ADD CONSTRAINT operators_pending_chain_key_whole CHECK (
          (pending_chain_key IS NULL AND pending_chain_key_sealed IS NULL AND pending_acceptance_text IS NULL)
          OR (pending_chain_key IS NOT NULL AND (pending_chain_key_sealed IS NULL) <> (pending_acceptance_text IS NULL)))`);
    await runner.query(`
      CREATE TABLE signature_requests (
        id text PRIMARY KEY,
        operator_id text NOT NULL REFERENCES operators (id),
        account_id text REFERENCES accounts (id),
        action text NOT NULL,
        parameters jsonb NOT NULL,
        parameters_hash bytea NOT NULL,
        summary text[] NOT NULL,
        signer text COLLATE "C" NOT NULL,
        unsigned_transaction bytea NOT NULL,
        last_valid_block_height bigint NOT NULL,
        expires_at timestamptz NOT NULL,
        seq bigint,
        policy_version bigint,
        authority_key text COLLATE "C",
        authority_key_sealed text,
        created_by text NOT NULL,
        created_at timestamptz NOT NULL,
        lease_until timestamptz NOT NULL DEFAULT '-infinity',
        signature bytea,
        completed_at timestamptz,
        answer_status integer,
        answer_headers jsonb,
        answer_body jsonb,
        CONSTRAINT signature_requests_authority_whole CHECK ((authority_key IS NULL) = (authority_key_sealed IS NULL)),
        CONSTRAINT signature_requests_completed_with_answer CHECK (
          (completed_at IS NULL) = (answer_status IS NULL) AND (completed_at IS NULL) = (answer_headers IS NULL)
          AND (completed_at IS NULL) = (answer_body IS NULL))
      )`);
    await runner.query(
      'CREATE UNIQUE INDEX signature_requests_open_once ON signature_requests (operator_id, parameters_hash) WHERE completed_at IS NULL',
    );
    await runner.query('CREATE INDEX signature_requests_of_operator ON signature_requests (operator_id, id DESC)');
    await runner.query('CREATE INDEX signature_requests_by_expiry ON signature_requests (expires_at)');
    await runner.query(
      'CREATE INDEX signature_requests_open_of_operator ON signature_requests (operator_id, id DESC) WHERE completed_at IS NULL',
    );
  }

  /** @throws where an operator's key is held outside: the service before this migration could not serve it. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE signature_requests');
    await runner.query(`
      ALTER TABLE operators
        DROP CONSTRAINT operators_pending_chain_key_whole,
        DROP COLUMN chain_key_challenge, DROP COLUMN chain_key_challenge_until,
        DROP COLUMN pending_acceptance_text, DROP COLUMN pending_acceptance_signature,
        ADD CONSTRAINT operators_pending_chain_key_whole CHECK ((pending_chain_key IS NULL) = (pending_chain_key_sealed IS NULL)),
        ALTER COLUMN chain_key_sealed SET NOT NULL`);
  }
}
