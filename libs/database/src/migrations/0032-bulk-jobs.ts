import type { MigrationInterface, QueryRunner } from 'typeorm';

/** `record_event` as it is before this migration. */
const OF_ACCOUNTS = `
      CREATE OR REPLACE FUNCTION record_event(event jsonb) RETURNS bigint LANGUAGE sql AS $$
        WITH counter AS (
          INSERT INTO event_counters AS counter (account_id, last_sequence, last_event_at) SELECT event ->> 'account_id', 1, (event ->> 'created_at')::timestamptz WHERE event IS NOT NULL
          ON CONFLICT (account_id) DO UPDATE SET last_sequence = counter.last_sequence + 1, last_event_at = (event ->> 'created_at')::timestamptz RETURNING last_sequence
        )
        INSERT INTO events (id, operator_id, account_id, sequence, type, data, created_at, webhook_id)
        SELECT event ->> 'id', event ->> 'operator_id', event ->> 'account_id', last_sequence, event ->> 'type', event -> 'data', (event ->> 'created_at')::timestamptz, event ->> 'webhook_id'
        FROM counter RETURNING sequence
      $$`;

/** An event without an account gets the next number of its operator. */
const OF_OPERATORS_TOO = `
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

/** Bulk jobs, each with its list of accounts, and events of operators, which have no account. */
export class BulkJobs0000000000032 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE bulk_jobs (
        id text COLLATE "C" NOT NULL,
        number bigint GENERATED ALWAYS AS IDENTITY,
        operator_id text COLLATE "C" NOT NULL,
        action text NOT NULL,
        policy jsonb,
        counterparties jsonb,
        status text NOT NULL,
        total integer NOT NULL,
        done integer NOT NULL,
        failed integer NOT NULL,
        message text,
        is_signed_outside boolean NOT NULL,
        created_by text COLLATE "C" NOT NULL,
        created_at timestamptz NOT NULL,
        finished_at timestamptz,
        creation_key text,
        creation_hash bytea,
        creation_key_until timestamptz,
        lease_until timestamptz NOT NULL,
        mac bytea NOT NULL,
        CONSTRAINT bulk_jobs_pkey PRIMARY KEY (id),
        CONSTRAINT bulk_jobs_number_unique UNIQUE (number),
        CONSTRAINT bulk_jobs_creation_key_unique UNIQUE (operator_id, creation_key),
        CONSTRAINT bulk_jobs_operator_fkey FOREIGN KEY (operator_id) REFERENCES operators (id),
        CONSTRAINT bulk_jobs_action CHECK (action IN ('pause', 'resume', 'set_policy')),
        CONSTRAINT bulk_jobs_status CHECK (status IN ('running', 'cancelling', 'cancelled', 'finished')),
        CONSTRAINT bulk_jobs_counts CHECK (done >= 0 AND failed >= 0 AND done + failed <= total),
        CONSTRAINT bulk_jobs_finished_whole CHECK (status <> 'finished' OR done + failed = total),
        CONSTRAINT bulk_jobs_finished_at CHECK ((status IN ('cancelled', 'finished')) = (finished_at IS NOT NULL)),
        CONSTRAINT bulk_jobs_policy CHECK ((action = 'set_policy') = (policy IS NOT NULL))
      )`);
    await runner.query('CREATE INDEX bulk_jobs_listed ON bulk_jobs (operator_id, id)');
    await runner.query(`CREATE INDEX bulk_jobs_open ON bulk_jobs (operator_id, number) WHERE status IN ('running', 'cancelling')`);
    await runner.query('CREATE INDEX bulk_jobs_by_end ON bulk_jobs (finished_at)');
    await runner.query(`
      CREATE TABLE bulk_job_accounts (
        job_id text COLLATE "C" NOT NULL,
        position integer NOT NULL,
        account_id text COLLATE "C" NOT NULL,
        status text NOT NULL,
        is_superseded boolean NOT NULL DEFAULT false,
        part integer,
        error text,
        message text,
        CONSTRAINT bulk_job_accounts_pkey PRIMARY KEY (job_id, position),
        CONSTRAINT bulk_job_accounts_account_once UNIQUE (job_id, account_id),
        CONSTRAINT bulk_job_accounts_job_fkey FOREIGN KEY (job_id) REFERENCES bulk_jobs (id) ON DELETE CASCADE,
        CONSTRAINT bulk_job_accounts_status CHECK (status IN ('waiting', 'in_work', 'done', 'failed')),
        CONSTRAINT bulk_job_accounts_failed_says_why CHECK ((status = 'failed') = (error IS NOT NULL) AND (error IS NULL) = (message IS NULL))
      )`);
    await runner.query(
      `CREATE INDEX bulk_job_accounts_open ON bulk_job_accounts (account_id, job_id) WHERE status IN ('waiting', 'in_work')`,
    );
    await runner.query(
      `CREATE INDEX bulk_job_accounts_waiting ON bulk_job_accounts (job_id, position) WHERE status IN ('waiting', 'in_work')`,
    );
    await runner.query(`CREATE INDEX bulk_job_accounts_failed ON bulk_job_accounts (job_id, position) WHERE status = 'failed'`);
    await runner.query('CREATE INDEX bulk_job_accounts_of_part ON bulk_job_accounts (job_id, part) WHERE part IS NOT NULL');
    await runner.query(`
      CREATE TABLE bulk_job_parts (
        job_id text COLLATE "C" NOT NULL,
        part integer NOT NULL,
        signature_request_id text COLLATE "C" NOT NULL,
        CONSTRAINT bulk_job_parts_pkey PRIMARY KEY (job_id, part),
        CONSTRAINT bulk_job_parts_job_fkey FOREIGN KEY (job_id) REFERENCES bulk_jobs (id) ON DELETE CASCADE
      )`);
    await runner.query(`
      CREATE TABLE operator_event_counters (
        operator_id text COLLATE "C" NOT NULL,
        last_sequence bigint NOT NULL,
        CONSTRAINT operator_event_counters_pkey PRIMARY KEY (operator_id),
        CONSTRAINT operator_event_counters_operator_fkey FOREIGN KEY (operator_id) REFERENCES operators (id),
        CONSTRAINT operator_event_counters_from_one CHECK (last_sequence >= 1)
      )`);
    await runner.query(`
      ALTER TABLE events
        DROP CONSTRAINT events_numbered,
        DROP CONSTRAINT events_tests_stand_alone,
        ADD CONSTRAINT events_numbered CHECK ((type = 'webhook.test') = (sequence IS NULL)),
        ADD CONSTRAINT events_tests_stand_alone CHECK (type <> 'webhook.test' OR (account_id IS NULL AND webhook_id IS NOT NULL))`);
    await runner.query('CREATE UNIQUE INDEX events_of_operator_once ON events (operator_id, sequence) WHERE account_id IS NULL');
    await runner.query(OF_OPERATORS_TOO);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(OF_ACCOUNTS);
    await runner.query('DROP INDEX events_of_operator_once');
    await runner.query(`DELETE FROM events WHERE account_id IS NULL AND type <> 'webhook.test'`);
    await runner.query(`
      ALTER TABLE events
        DROP CONSTRAINT events_numbered,
        DROP CONSTRAINT events_tests_stand_alone,
        ADD CONSTRAINT events_numbered CHECK ((account_id IS NULL) = (sequence IS NULL)),
        ADD CONSTRAINT events_tests_stand_alone CHECK ((type = 'webhook.test') = (account_id IS NULL) AND (type <> 'webhook.test' OR webhook_id IS NOT NULL))`);
    await runner.query('DROP TABLE operator_event_counters');
    await runner.query('DROP TABLE bulk_job_parts');
    await runner.query('DROP TABLE bulk_job_accounts');
    await runner.query('DROP TABLE bulk_jobs');
  }
}
