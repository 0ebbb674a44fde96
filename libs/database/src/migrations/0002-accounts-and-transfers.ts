import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Accounts with their place on chain, transfers with every signed attempt, and the history. */
export class AccountsAndTransfers0000000000002 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE chain_identity (
        only_row boolean NOT NULL DEFAULT true,
        genesis_hash text NOT NULL,
        program_id text NOT NULL,
        usdc_mint text NOT NULL,
        CONSTRAINT chain_identity_pkey PRIMARY KEY (only_row),
        CONSTRAINT chain_identity_is_one CHECK (only_row)
      )`);
    await runner.query(`
      ALTER TABLE accounts
        ADD COLUMN name text NOT NULL,
        ADD COLUMN handle text COLLATE "C" NOT NULL,
        ADD COLUMN metadata jsonb NOT NULL DEFAULT '{}',
        ADD COLUMN state text NOT NULL DEFAULT 'creating',
        ADD COLUMN creator text NOT NULL,
        ADD COLUMN chain_address text COLLATE "C" NOT NULL,
        ADD COLUMN usdc_token_account text COLLATE "C" NOT NULL,
        ADD COLUMN authority_key text NOT NULL,
        ADD COLUMN authority_key_sealed text NOT NULL,
        ADD COLUMN next_seq bigint NOT NULL DEFAULT 1,
        ADD COLUMN changed_slot bigint NOT NULL DEFAULT 0,
        ADD COLUMN policy jsonb NOT NULL,
        ADD COLUMN policy_version bigint NOT NULL DEFAULT 1,
        ADD COLUMN policy_updated_at timestamptz NOT NULL DEFAULT now(),
        ADD COLUMN paused boolean NOT NULL DEFAULT false,
        ADD COLUMN balance_micro_usdc bigint NOT NULL DEFAULT 0,
        ADD COLUMN balance_as_of timestamptz NOT NULL DEFAULT now(),
        ADD COLUMN creation_key text COLLATE "C",
        ADD COLUMN creation_hash bytea,
        ADD COLUMN creation_key_until timestamptz,
        ADD COLUMN lease_until timestamptz NOT NULL DEFAULT now(),
        ADD CONSTRAINT accounts_handle_unique UNIQUE (handle),
        ADD CONSTRAINT accounts_chain_address_unique UNIQUE (chain_address),
        ADD CONSTRAINT accounts_usdc_token_account_unique UNIQUE (usdc_token_account),
        ADD CONSTRAINT accounts_creation_key_unique UNIQUE (operator_id, creation_key),
        ADD CONSTRAINT accounts_creation_key_whole CHECK ((creation_key IS NULL) = (creation_hash IS NULL) AND (creation_key IS NULL) = (creation_key_until IS NULL)),
        ADD CONSTRAINT accounts_name_length CHECK (char_length(name) BETWEEN 1 AND 100),
        ADD CONSTRAINT accounts_state CHECK (state IN ('creating', 'open')),
        ADD CONSTRAINT accounts_next_seq_from_one CHECK (next_seq >= 1)`);
    await runner.query(`CREATE INDEX accounts_listed ON accounts (operator_id, id) WHERE state = 'open'`);
    await runner.query(`CREATE INDEX accounts_in_creation ON accounts (lease_until) WHERE state = 'creating'`);
    await runner.query(`
      CREATE TABLE counterparty_names (
        account_id text COLLATE "C" NOT NULL,
        address text COLLATE "C" NOT NULL,
        given text COLLATE "C" NOT NULL,
        CONSTRAINT counterparty_names_pkey PRIMARY KEY (account_id, address),
        CONSTRAINT counterparty_names_account_fkey FOREIGN KEY (account_id) REFERENCES accounts (id)
      )`);
    await runner.query(`
      CREATE TABLE transfers (
        id text COLLATE "C" NOT NULL,
        operator_id text COLLATE "C" NOT NULL,
        account_id text COLLATE "C" NOT NULL,
        idempotency_key text COLLATE "C" NOT NULL,
        live_key text COLLATE "C",
        request_hash bytea NOT NULL,
        recipient text NOT NULL,
        destination text COLLATE "C" NOT NULL,
        destination_account_id text COLLATE "C",
        micro_usdc bigint NOT NULL,
        memo text,
        memo_salt bytea,
        category text,
        status text NOT NULL,
        approved boolean NOT NULL DEFAULT false,
        approval_expires_at timestamptz,
        seq bigint,
        signature text COLLATE "C",
        rejection_reason text,
        denial_reason text,
        refusal jsonb,
        failure jsonb,
        created_at timestamptz NOT NULL,
        submitted_at timestamptz,
        settled_at timestamptz,
        final_at timestamptz,
        lease_until timestamptz NOT NULL,
        CONSTRAINT transfers_pkey PRIMARY KEY (id),
        CONSTRAINT transfers_account_fkey FOREIGN KEY (operator_id, account_id) REFERENCES accounts (operator_id, id),
        CONSTRAINT transfers_destination_account_fkey FOREIGN KEY (destination_account_id) REFERENCES accounts (id),
        CONSTRAINT transfers_live_key_unique UNIQUE (operator_id, live_key),
        CONSTRAINT transfers_signature_unique UNIQUE (signature),
        CONSTRAINT transfers_live_key_is_the_key CHECK (live_key = idempotency_key),
        CONSTRAINT transfers_amount_positive CHECK (micro_usdc > 0),
        CONSTRAINT transfers_memo_has_salt CHECK ((memo IS NULL) = (memo_salt IS NULL)),
        CONSTRAINT transfers_status CHECK (status IN ('created', 'pending_approval', 'submitted', 'settled', 'rejected', 'failed')),
        CONSTRAINT transfers_final CHECK ((final_at IS NOT NULL) = (status IN ('settled', 'rejected', 'failed'))),
        CONSTRAINT transfers_submitted_has_seq CHECK (status <> 'submitted' OR (seq IS NOT NULL AND submitted_at IS NOT NULL)),
        CONSTRAINT transfers_settled_is_signed CHECK ((status = 'settled') = (signature IS NOT NULL) AND (status = 'settled') = (settled_at IS NOT NULL)),
        CONSTRAINT transfers_rejected_says_why CHECK ((status = 'rejected') = (rejection_reason IS NOT NULL)),
        CONSTRAINT transfers_failed_says_why CHECK ((status = 'failed') = (failure IS NOT NULL)),
        CONSTRAINT transfers_pending_expires CHECK (status <> 'pending_approval' OR approval_expires_at IS NOT NULL)
      )`);
    await runner.query('CREATE INDEX transfers_by_operator ON transfers (operator_id, id)');
    await runner.query('CREATE INDEX transfers_by_account ON transfers (account_id, id)');
    await runner.query('CREATE INDEX transfers_by_key ON transfers (operator_id, idempotency_key)');
    await runner.query(
      `CREATE INDEX transfers_unresolved ON transfers (account_id, seq) WHERE status IN ('created', 'submitted') AND seq IS NOT NULL`,
    );
    await runner.query(`CREATE INDEX transfers_to_recover ON transfers (lease_until) WHERE status IN ('created', 'submitted')`);
    await runner.query(`CREATE INDEX transfers_to_expire ON transfers (approval_expires_at) WHERE status = 'pending_approval'`);
    await runner.query(`
      CREATE TABLE transfer_attempts (
        transfer_id text COLLATE "C" NOT NULL,
        signature text COLLATE "C" NOT NULL,
        seq bigint NOT NULL,
        bytes bytea NOT NULL,
        last_valid_block_height bigint NOT NULL,
        created_at timestamptz NOT NULL,
        CONSTRAINT transfer_attempts_pkey PRIMARY KEY (signature),
        CONSTRAINT transfer_attempts_transfer_fkey FOREIGN KEY (transfer_id) REFERENCES transfers (id)
      )`);
    await runner.query('CREATE INDEX transfer_attempts_by_transfer ON transfer_attempts (transfer_id, created_at)');
    await runner.query(`
      CREATE TABLE records (
        id text COLLATE "C" NOT NULL,
        account_id text COLLATE "C" NOT NULL,
        type text NOT NULL,
        direction text NOT NULL,
        micro_usdc bigint NOT NULL,
        counterparty text,
        memo text,
        category text,
        signature text,
        transfer_id text COLLATE "C",
        session_id text COLLATE "C",
        rejection_reason text,
        created_at timestamptz NOT NULL,
        settled_at timestamptz,
        CONSTRAINT records_pkey PRIMARY KEY (id),
        CONSTRAINT records_account_fkey FOREIGN KEY (account_id) REFERENCES accounts (id),
        CONSTRAINT records_transfer_fkey FOREIGN KEY (transfer_id) REFERENCES transfers (id),
        CONSTRAINT records_type CHECK (type IN ('transfer', 'session_settlement', 'rejection', 'deposit')),
        CONSTRAINT records_direction CHECK (direction IN ('in', 'out')),
        CONSTRAINT records_amount_not_negative CHECK (micro_usdc >= 0),
        CONSTRAINT records_rejection_says_why CHECK ((type = 'rejection') = (rejection_reason IS NOT NULL)),
        CONSTRAINT records_settled_unless_rejected CHECK ((type = 'rejection') = (settled_at IS NULL))
      )`);
    await runner.query('CREATE INDEX records_by_account ON records (account_id, id)');
    await runner.query(`CREATE INDEX records_rejected ON records (account_id, id) WHERE type = 'rejection'`);
    await runner.query(`CREATE INDEX records_settled ON records (account_id, id) WHERE type <> 'rejection'`);
    // Each settled transfer stands in a history once a side.
    await runner.query(`CREATE UNIQUE INDEX records_transfer_once ON records (transfer_id, direction) WHERE type = 'transfer'`);
    // An event gets its account's next number in the statement that makes the fact: one round trip, one commit.
    await runner.query(`
      CREATE FUNCTION record_event(event jsonb) RETURNS bigint LANGUAGE sql AS $$
        WITH counter AS (
          INSERT INTO event_counters AS counter (account_id, last_sequence) SELECT event ->> 'account_id', 1 WHERE event IS NOT NULL
          ON CONFLICT (account_id) DO UPDATE SET last_sequence = counter.last_sequence + 1 RETURNING last_sequence
        )
        INSERT INTO events (id, operator_id, account_id, sequence, type, data, created_at)
        SELECT event ->> 'id', event ->> 'operator_id', event ->> 'account_id', last_sequence, event ->> 'type', event -> 'data', (event ->> 'created_at')::timestamptz
        FROM counter RETURNING sequence
      $$`);
    await runner.query(`
      CREATE FUNCTION record_lines(lines jsonb) RETURNS void LANGUAGE sql AS $$
        INSERT INTO records (id, account_id, type, direction, micro_usdc, counterparty, memo, category, signature, transfer_id, session_id, rejection_reason, created_at, settled_at)
        SELECT id, account_id, type, direction, micro_usdc, counterparty, memo, category, signature, transfer_id, session_id, rejection_reason, created_at, settled_at
        FROM jsonb_populate_recordset(NULL::records, lines)
      $$`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP FUNCTION record_lines(jsonb)');
    await runner.query('DROP FUNCTION record_event(jsonb)');
    await runner.query('DROP TABLE records');
    await runner.query('DROP TABLE transfer_attempts');
    await runner.query('DROP TABLE transfers');
    await runner.query('DROP TABLE counterparty_names');
    await runner.query('DROP INDEX accounts_listed, accounts_in_creation');
    await runner.query(`
      ALTER TABLE accounts
        DROP COLUMN name, DROP COLUMN handle, DROP COLUMN metadata, DROP COLUMN state, DROP COLUMN creator, DROP COLUMN chain_address,
        DROP COLUMN usdc_token_account, DROP COLUMN authority_key, DROP COLUMN authority_key_sealed, DROP COLUMN next_seq,
        DROP COLUMN changed_slot, DROP COLUMN policy, DROP COLUMN policy_version, DROP COLUMN policy_updated_at, DROP COLUMN paused,
        DROP COLUMN balance_micro_usdc, DROP COLUMN balance_as_of, DROP COLUMN creation_key, DROP COLUMN creation_hash,
        DROP COLUMN creation_key_until, DROP COLUMN lease_until`);
    await runner.query('DROP TABLE chain_identity');
  }
}
