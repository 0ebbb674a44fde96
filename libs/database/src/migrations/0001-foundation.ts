import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Operators, their keys, the accounts' identity, and the events.
 * Ids are compared byte by byte (COLLATE "C"): their order is their age, whatever the database's language.
 */
export class Foundation0000000000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE operators (
        id text COLLATE "C" NOT NULL,
        name text NOT NULL,
        chain_key text COLLATE "C" NOT NULL,
        chain_key_sealed text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT operators_pkey PRIMARY KEY (id),
        CONSTRAINT operators_chain_key_unique UNIQUE (chain_key),
        CONSTRAINT operators_name_length CHECK (char_length(name) BETWEEN 1 AND 100)
      )`);
    await runner.query(`
      CREATE TABLE accounts (
        id text COLLATE "C" NOT NULL,
        operator_id text COLLATE "C" NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT accounts_pkey PRIMARY KEY (id),
        CONSTRAINT accounts_operator_unique UNIQUE (operator_id, id),
        CONSTRAINT accounts_operator_fkey FOREIGN KEY (operator_id) REFERENCES operators (id)
      )`);
    await runner.query(`
      CREATE TABLE api_keys (
        id text COLLATE "C" NOT NULL,
        operator_id text COLLATE "C" NOT NULL,
        type text NOT NULL,
        name text,
        prefix text COLLATE "C" NOT NULL,
        hash bytea NOT NULL,
        expires_at timestamptz,
        last_used_at timestamptz,
        revoked_at timestamptz,
        created_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT api_keys_pkey PRIMARY KEY (id),
        CONSTRAINT api_keys_operator_unique UNIQUE (operator_id, id),
        CONSTRAINT api_keys_hash_unique UNIQUE (hash),
        CONSTRAINT api_keys_operator_fkey FOREIGN KEY (operator_id) REFERENCES operators (id),
        CONSTRAINT api_keys_type CHECK (type IN ('operator', 'agent')),
        CONSTRAINT api_keys_hash_is_sha256 CHECK (octet_length(hash) = 32),
        CONSTRAINT api_keys_name_length CHECK (char_length(name) BETWEEN 1 AND 100)
      )`);
    await runner.query('CREATE INDEX api_keys_prefix ON api_keys (prefix)');
    await runner.query(`
      CREATE TABLE api_key_accounts (
        key_id text COLLATE "C" NOT NULL,
        operator_id text COLLATE "C" NOT NULL,
        account_id text COLLATE "C" NOT NULL,
        position smallint NOT NULL,
        CONSTRAINT api_key_accounts_pkey PRIMARY KEY (key_id, account_id),
        CONSTRAINT api_key_accounts_position_unique UNIQUE (key_id, position),
        CONSTRAINT api_key_accounts_key_fkey FOREIGN KEY (operator_id, key_id) REFERENCES api_keys (operator_id, id) ON DELETE CASCADE,
        CONSTRAINT api_key_accounts_account_fkey FOREIGN KEY (operator_id, account_id) REFERENCES accounts (operator_id, id)
      )`);
    await runner.query(`
      CREATE TABLE event_counters (
        account_id text COLLATE "C" NOT NULL,
        last_sequence bigint NOT NULL,
        CONSTRAINT event_counters_pkey PRIMARY KEY (account_id),
        CONSTRAINT event_counters_account_fkey FOREIGN KEY (account_id) REFERENCES accounts (id),
        CONSTRAINT event_counters_from_one CHECK (last_sequence >= 1)
      )`);
    await runner.query(`
      CREATE TABLE events (
        id text COLLATE "C" NOT NULL,
        operator_id text COLLATE "C" NOT NULL,
        account_id text COLLATE "C" NOT NULL,
        sequence bigint NOT NULL,
        type text NOT NULL,
        data jsonb NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT events_pkey PRIMARY KEY (id),
        CONSTRAINT events_sequence_unique UNIQUE (account_id, sequence),
        CONSTRAINT events_account_fkey FOREIGN KEY (operator_id, account_id) REFERENCES accounts (operator_id, id),
        CONSTRAINT events_sequence_from_one CHECK (sequence >= 1),
        CONSTRAINT events_data_is_object CHECK (jsonb_typeof(data) = 'object')
      )`);
    await runner.query('CREATE INDEX events_by_operator ON events (operator_id, id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE events');
    await runner.query('DROP TABLE event_counters');
    await runner.query('DROP TABLE api_key_accounts');
    await runner.query('DROP TABLE api_keys');
    await runner.query('DROP TABLE accounts');
    await runner.query('DROP TABLE operators');
  }
}
