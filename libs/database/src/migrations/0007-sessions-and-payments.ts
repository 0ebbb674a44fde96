import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Whatever spends a number of an account is an order and stands in `transfers`, by its kind: a transfer, a session's cap, its
 * top-up, a charge. Sessions and payments hold what comes after.
 */
export class SessionsAndPayments0000000000007 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE transfers
        ADD COLUMN kind text NOT NULL DEFAULT 'transfer',
        ADD COLUMN session_id text COLLATE "C",
        ADD CONSTRAINT transfers_kind CHECK (kind IN ('transfer', 'session', 'top_up', 'charge')),
        ADD CONSTRAINT transfers_session CHECK ((session_id IS NOT NULL) = (kind IN ('session', 'top_up'))),
        DROP CONSTRAINT transfers_live_key_unique,
        ADD CONSTRAINT transfers_live_key_unique UNIQUE (operator_id, kind, live_key)`);
    await runner.query('DROP INDEX transfers_by_operator, transfers_by_account');
    await runner.query('CREATE INDEX transfers_by_operator ON transfers (operator_id, kind, id)');
    await runner.query('CREATE INDEX transfers_by_account ON transfers (account_id, kind, id)');
    await runner.query(`
      CREATE TABLE sessions (
        id text COLLATE "C" NOT NULL,
        operator_id text COLLATE "C" NOT NULL,
        account_id text COLLATE "C" NOT NULL,
        provider text NOT NULL,
        payee text COLLATE "C" NOT NULL,
        category text,
        grace_seconds integer NOT NULL,
        expires_in_seconds integer NOT NULL,
        voucher_key text COLLATE "C" NOT NULL,
        voucher_key_sealed text NOT NULL,
        state text NOT NULL DEFAULT 'ordered',
        address text COLLATE "C",
        cap_micro_usdc bigint NOT NULL,
        signed_micro_usdc bigint NOT NULL DEFAULT 0,
        accepted_micro_usdc bigint NOT NULL DEFAULT 0,
        voucher_micro_usdc bigint NOT NULL DEFAULT 0,
        voucher_signature bytea,
        settled_micro_usdc bigint NOT NULL DEFAULT 0,
        returned_micro_usdc bigint NOT NULL DEFAULT 0,
        cap_warned boolean NOT NULL DEFAULT false,
        cap_reached boolean NOT NULL DEFAULT false,
        paying text COLLATE "C",
        open_signature text COLLATE "C",
        end_signature text COLLATE "C",
        created_at timestamptz NOT NULL,
        opened_at timestamptz,
        expires_at timestamptz,
        ends_at timestamptz,
        closed_at timestamptz,
        used_at timestamptz,
        unsettled_since timestamptz,
        lease_until timestamptz NOT NULL DEFAULT '-infinity',
        CONSTRAINT sessions_pkey PRIMARY KEY (id),
        CONSTRAINT sessions_operator_unique UNIQUE (operator_id, id),
        CONSTRAINT sessions_address_unique UNIQUE (address),
        CONSTRAINT sessions_account_fkey FOREIGN KEY (operator_id, account_id) REFERENCES accounts (operator_id, id),
        CONSTRAINT sessions_state CHECK (state IN ('ordered', 'open', 'closing', 'settled')),
        CONSTRAINT sessions_opened CHECK ((state = 'ordered') = (address IS NULL) AND (state = 'ordered') = (opened_at IS NULL) AND (state = 'ordered') = (expires_at IS NULL)),
        CONSTRAINT sessions_closed CHECK ((state = 'settled') = (closed_at IS NOT NULL) AND (state = 'settled') = (end_signature IS NOT NULL)),
        CONSTRAINT sessions_promises_fit CHECK (accepted_micro_usdc <= signed_micro_usdc AND voucher_micro_usdc <= signed_micro_usdc AND signed_micro_usdc <= cap_micro_usdc),
        CONSTRAINT sessions_sums CHECK (state <> 'settled' OR settled_micro_usdc + returned_micro_usdc = cap_micro_usdc),
        CONSTRAINT sessions_voucher_is_signed CHECK ((voucher_micro_usdc = 0) = (voucher_signature IS NULL))
      )`);
    await runner.query('CREATE INDEX sessions_by_operator ON sessions (operator_id, id)');
    await runner.query('CREATE INDEX sessions_by_account ON sessions (account_id, id)');
    await runner.query(`CREATE INDEX sessions_alive ON sessions (lease_until) WHERE state IN ('open', 'closing')`);
    await runner.query(
      'ALTER TABLE transfers ADD CONSTRAINT transfers_session_fkey FOREIGN KEY (operator_id, session_id) REFERENCES sessions (operator_id, id) DEFERRABLE INITIALLY DEFERRED',
    );
    await runner.query(`CREATE UNIQUE INDEX records_session_once ON records (session_id) WHERE type = 'session_settlement'`);
    await runner.query(`
      CREATE TABLE providers (
        operator_id text COLLATE "C" NOT NULL,
        host text COLLATE "C" NOT NULL,
        payee text COLLATE "C" NOT NULL,
        categories jsonb NOT NULL,
        created_at timestamptz NOT NULL,
        updated_at timestamptz NOT NULL,
        CONSTRAINT providers_pkey PRIMARY KEY (operator_id, host),
        CONSTRAINT providers_operator_fkey FOREIGN KEY (operator_id) REFERENCES operators (id)
      )`);
    await runner.query(`
      CREATE TABLE payments (
        id text COLLATE "C" NOT NULL,
        operator_id text COLLATE "C" NOT NULL,
        account_id text COLLATE "C" NOT NULL,
        session_id text COLLATE "C",
        idempotency_key text COLLATE "C" NOT NULL,
        live_key text COLLATE "C",
        request_hash bytea NOT NULL,
        mode text NOT NULL,
        max_micro_usdc bigint NOT NULL,
        provider text NOT NULL,
        request_sealed text,
        status text NOT NULL,
        micro_usdc bigint NOT NULL DEFAULT 0,
        category text,
        payee text COLLATE "C",
        challenge_id text,
        credential_sealed text,
        cumulative_micro_usdc bigint,
        resent boolean NOT NULL DEFAULT false,
        delegate_key text COLLATE "C",
        delegate_key_sealed text,
        transaction_signature text COLLATE "C",
        last_valid_block_height bigint,
        receipt text,
        response_status integer,
        response_headers jsonb,
        response_body bytea,
        response_truncated boolean NOT NULL DEFAULT false,
        rejection_reason text,
        refusal jsonb,
        failure jsonb,
        signature text COLLATE "C",
        created_at timestamptz NOT NULL,
        sent_at timestamptz,
        final_at timestamptz,
        lease_until timestamptz NOT NULL,
        CONSTRAINT payments_pkey PRIMARY KEY (id),
        CONSTRAINT payments_account_fkey FOREIGN KEY (operator_id, account_id) REFERENCES accounts (operator_id, id),
        CONSTRAINT payments_session_fkey FOREIGN KEY (operator_id, session_id) REFERENCES sessions (operator_id, id),
        CONSTRAINT payments_live_key_unique UNIQUE (operator_id, live_key),
        CONSTRAINT payments_live_key_is_the_key CHECK (live_key = idempotency_key),
        CONSTRAINT payments_mode CHECK (mode IN ('pay', 'authorize')),
        CONSTRAINT payments_status CHECK (status IN ('created', 'unknown', 'free', 'paid', 'paid_unreceipted', 'rejected', 'failed')),
        CONSTRAINT payments_final CHECK ((final_at IS NOT NULL) = (status IN ('free', 'paid', 'paid_unreceipted', 'rejected', 'failed'))),
        CONSTRAINT payments_rejected_says_why CHECK ((status = 'rejected') = (rejection_reason IS NOT NULL)),
        CONSTRAINT payments_failed_says_why CHECK ((status = 'failed') = (failure IS NOT NULL)),
        CONSTRAINT payments_unknown_was_sent CHECK (status <> 'unknown' OR sent_at IS NOT NULL),
        CONSTRAINT payments_amount_not_negative CHECK (micro_usdc >= 0)
      )`);
    await runner.query('CREATE INDEX payments_by_session ON payments (session_id, id) WHERE session_id IS NOT NULL');
    await runner.query('CREATE INDEX payments_by_key ON payments (operator_id, idempotency_key)');
    await runner.query(`CREATE INDEX payments_unresolved ON payments (lease_until) WHERE status IN ('created', 'unknown')`);
    await runner.query(
      'CREATE INDEX payments_with_response ON payments (final_at) WHERE response_body IS NOT NULL OR request_sealed IS NOT NULL',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE payments');
    await runner.query('DROP TABLE providers');
    await runner.query('DROP INDEX records_session_once');
    await runner.query('ALTER TABLE transfers DROP CONSTRAINT transfers_session_fkey');
    await runner.query('DROP TABLE sessions');
    await runner.query('DROP INDEX transfers_by_account');
    await runner.query('DROP INDEX transfers_by_operator');
    await runner.query(`
      ALTER TABLE transfers
        DROP CONSTRAINT transfers_live_key_unique,
        DROP CONSTRAINT transfers_session,
        DROP CONSTRAINT transfers_kind,
        DROP COLUMN session_id,
        DROP COLUMN kind,
        ADD CONSTRAINT transfers_live_key_unique UNIQUE (operator_id, live_key)`);
    await runner.query('CREATE INDEX transfers_by_operator ON transfers (operator_id, id)');
    await runner.query('CREATE INDEX transfers_by_account ON transfers (account_id, id)');
  }
}
