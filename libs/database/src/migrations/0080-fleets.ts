import type { MigrationInterface, QueryRunner } from 'typeorm';

/** `record_event` as it is before this migration. */
const OF_ACCOUNTS_AND_OPERATORS = `
      CREATE OR REPLACE FUNCTION record_event(event jsonb) RETURNS bigint LANGUAGE sql AS $$
        WITH counter AS (
          INSERT INTO event_counters AS counter (account_id, last_sequence, last_event_at) SELECT event ->> 'account_id', 1, (event ->> 'created_at')::timestamptz WHERE event ->> 'account_id' IS NOT NULL
          ON CONFLICT (account_id) DO UPDATE SET last_sequence = counter.last_sequence + 1, last_event_at = (event ->> 'created_at')::timestamptz RETURNING last_sequence
        ), operator_counter AS (
          INSERT INTO operator_event_counters AS counter (operator_id, last_sequence) SELECT event ->> 'operator_id', 1 WHERE event IS NOT NULL AND event ->> 'account_id' IS NULL
          ON CONFLICT (operator_id) DO UPDATE SET last_sequence = counter.last_sequence + 1 RETURNING last_sequence
        ), numbered AS (SELECT last_sequence FROM counter UNION ALL SELECT last_sequence FROM operator_counter)
        INSERT INTO events (id, operator_id, account_id, sequence, type, data, created_at, webhook_id)
        SELECT event ->> 'id', event ->> 'operator_id', event ->> 'account_id', last_sequence, event ->> 'type', event -> 'data', (event ->> 'created_at')::timestamptz, event ->> 'webhook_id'
        FROM numbered RETURNING sequence
      $$`;

/** An event of a fleet gets the next number of the fleet, and an event of an account the fleet that the account is in. */
export const RECORD_EVENT_OF_FLEETS_TOO = `
      CREATE OR REPLACE FUNCTION record_event(event jsonb) RETURNS bigint LANGUAGE sql AS $$
        WITH counter AS (
          INSERT INTO event_counters AS counter (account_id, last_sequence, last_event_at) SELECT event ->> 'account_id', 1, (event ->> 'created_at')::timestamptz WHERE event ->> 'account_id' IS NOT NULL
          ON CONFLICT (account_id) DO UPDATE SET last_sequence = counter.last_sequence + 1, last_event_at = (event ->> 'created_at')::timestamptz RETURNING last_sequence
        ), fleet_counter AS (
          INSERT INTO fleet_event_counters AS counter (fleet_id, last_sequence) SELECT event ->> 'fleet_id', 1 WHERE event ->> 'account_id' IS NULL AND event ->> 'fleet_id' IS NOT NULL
          ON CONFLICT (fleet_id) DO UPDATE SET last_sequence = counter.last_sequence + 1 RETURNING last_sequence
        ), operator_counter AS (
          INSERT INTO operator_event_counters AS counter (operator_id, last_sequence) SELECT event ->> 'operator_id', 1 WHERE event IS NOT NULL AND event ->> 'account_id' IS NULL AND event ->> 'fleet_id' IS NULL
          ON CONFLICT (operator_id) DO UPDATE SET last_sequence = counter.last_sequence + 1 RETURNING last_sequence
        ), numbered AS (SELECT last_sequence FROM counter UNION ALL SELECT last_sequence FROM fleet_counter UNION ALL SELECT last_sequence FROM operator_counter)
        INSERT INTO events (id, operator_id, account_id, fleet_id, sequence, type, data, created_at, webhook_id)
        SELECT event ->> 'id', event ->> 'operator_id', event ->> 'account_id',
          CASE WHEN event ->> 'account_id' IS NULL THEN event ->> 'fleet_id' ELSE (SELECT fleet_id FROM accounts WHERE id = event ->> 'account_id') END,
          last_sequence, event ->> 'type', event -> 'data', (event ->> 'created_at')::timestamptz, event ->> 'webhook_id'
        FROM numbered RETURNING sequence
      $$`;

/** Fleets: their rows, their members, and the keys, webhooks and events that name them. */
export class Fleets0000000000080 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE fleets (
        id text COLLATE "C" NOT NULL,
        operator_id text COLLATE "C" NOT NULL,
        name text NOT NULL,
        metadata jsonb NOT NULL,
        state text NOT NULL,
        creator text NOT NULL,
        chain_address text NOT NULL,
        guardian text,
        limits jsonb NOT NULL,
        limits_version bigint NOT NULL,
        policy jsonb NOT NULL,
        policy_version bigint NOT NULL,
        policy_updated_at timestamptz NOT NULL,
        paused boolean NOT NULL,
        wanted_policy jsonb,
        counterparties jsonb NOT NULL,
        members integer NOT NULL,
        observed_slot bigint NOT NULL,
        mac bytea NOT NULL,
        creation_key text,
        creation_hash bytea,
        creation_key_until timestamptz,
        lease_until timestamptz NOT NULL,
        created_at timestamptz NOT NULL,
        CONSTRAINT fleets_pkey PRIMARY KEY (id),
        CONSTRAINT fleets_of_operator UNIQUE (operator_id, id),
        CONSTRAINT fleets_creation_key_unique UNIQUE (operator_id, creation_key),
        CONSTRAINT fleets_operator_fkey FOREIGN KEY (operator_id) REFERENCES operators (id),
        CONSTRAINT fleets_chain_address_unique UNIQUE (chain_address),
        CONSTRAINT fleets_state CHECK (state IN ('creating', 'open', 'closed')),
        CONSTRAINT fleets_members CHECK (members >= 0)
      )`);
    await runner.query(`CREATE INDEX fleets_in_creation ON fleets (lease_until) WHERE state = 'creating'`);
    await runner.query(`
      ALTER TABLE accounts
        ADD COLUMN fleet_id text COLLATE "C",
        ADD COLUMN fleet_address text,
        ADD COLUMN has_own_policy boolean NOT NULL DEFAULT true,
        ADD CONSTRAINT accounts_fleet_fkey FOREIGN KEY (operator_id, fleet_id) REFERENCES fleets (operator_id, id),
        ADD CONSTRAINT accounts_fleet_whole CHECK ((fleet_id IS NULL) = (fleet_address IS NULL)),
        ADD CONSTRAINT accounts_policy CHECK (has_own_policy OR fleet_id IS NOT NULL)`);
    await runner.query(`CREATE INDEX accounts_of_fleet ON accounts (fleet_id, id) WHERE fleet_id IS NOT NULL`);
    await runner.query(`
      CREATE TABLE api_key_fleets (
        key_id text COLLATE "C" NOT NULL,
        fleet_id text COLLATE "C" NOT NULL,
        operator_id text COLLATE "C" NOT NULL,
        position smallint NOT NULL,
        CONSTRAINT api_key_fleets_pkey PRIMARY KEY (key_id, fleet_id),
        CONSTRAINT api_key_fleets_key_fkey FOREIGN KEY (key_id) REFERENCES api_keys (id),
        CONSTRAINT api_key_fleets_fleet_fkey FOREIGN KEY (operator_id, fleet_id) REFERENCES fleets (operator_id, id)
      )`);
    await runner.query(`
      CREATE TABLE webhook_fleets (
        webhook_id text COLLATE "C" NOT NULL,
        fleet_id text COLLATE "C" NOT NULL,
        operator_id text COLLATE "C" NOT NULL,
        position smallint NOT NULL,
        CONSTRAINT webhook_fleets_pkey PRIMARY KEY (webhook_id, fleet_id),
        CONSTRAINT webhook_fleets_webhook_fkey FOREIGN KEY (webhook_id) REFERENCES webhooks (id),
        CONSTRAINT webhook_fleets_fleet_fkey FOREIGN KEY (operator_id, fleet_id) REFERENCES fleets (operator_id, id)
      )`);
    await runner.query(`
      CREATE TABLE fleet_event_counters (
        fleet_id text COLLATE "C" NOT NULL,
        last_sequence bigint NOT NULL,
        CONSTRAINT fleet_event_counters_pkey PRIMARY KEY (fleet_id),
        CONSTRAINT fleet_event_counters_fleet_fkey FOREIGN KEY (fleet_id) REFERENCES fleets (id),
        CONSTRAINT fleet_event_counters_from_one CHECK (last_sequence >= 1)
      )`);
    await runner.query('ALTER TABLE events ADD COLUMN fleet_id text COLLATE "C"');
    await runner.query('DROP INDEX events_of_operator_once');
    await runner.query(
      'CREATE UNIQUE INDEX events_of_operator_once ON events (operator_id, sequence) WHERE account_id IS NULL AND fleet_id IS NULL',
    );
    await runner.query('CREATE UNIQUE INDEX events_of_fleet_once ON events (fleet_id, sequence) WHERE account_id IS NULL');
    await runner.query(RECORD_EVENT_OF_FLEETS_TOO);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(OF_ACCOUNTS_AND_OPERATORS);
    await runner.query('DELETE FROM events WHERE account_id IS NULL AND fleet_id IS NOT NULL');
    await runner.query('DROP INDEX events_of_fleet_once');
    await runner.query('DROP INDEX events_of_operator_once');
    await runner.query('ALTER TABLE events DROP COLUMN fleet_id');
    await runner.query('CREATE UNIQUE INDEX events_of_operator_once ON events (operator_id, sequence) WHERE account_id IS NULL');
    await runner.query('DROP TABLE fleet_event_counters');
    await runner.query('DROP TABLE webhook_fleets');
    await runner.query('DROP TABLE api_key_fleets');
    await runner.query('DROP INDEX accounts_of_fleet');
    await runner.query(`
      ALTER TABLE accounts
        DROP CONSTRAINT accounts_policy,
        DROP CONSTRAINT accounts_fleet_whole,
        DROP CONSTRAINT accounts_fleet_fkey,
        DROP COLUMN has_own_policy,
        DROP COLUMN fleet_address,
        DROP COLUMN fleet_id`);
    await runner.query('DROP TABLE fleets');
  }
}
