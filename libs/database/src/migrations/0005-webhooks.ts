import type { MigrationInterface, QueryRunner } from 'typeorm';

const recordEvent = (columns: string, values: string): string => `
      CREATE OR REPLACE FUNCTION record_event(event jsonb) RETURNS bigint LANGUAGE sql AS $$
        WITH counter AS (
          INSERT INTO event_counters AS counter (account_id, last_sequence) SELECT event ->> 'account_id', 1 WHERE event IS NOT NULL
          ON CONFLICT (account_id) DO UPDATE SET last_sequence = counter.last_sequence + 1 RETURNING last_sequence
        )
        INSERT INTO events (id, operator_id, account_id, sequence, type, data, created_at${columns})
        SELECT event ->> 'id', event ->> 'operator_id', event ->> 'account_id', last_sequence, event ->> 'type', event -> 'data', (event ->> 'created_at')::timestamptz${values}
        FROM counter RETURNING sequence
      $$`;

/** Who is told of events, and every delivery of one with its attempts. */
export class Webhooks0000000000005 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE webhooks (
        id text COLLATE "C" NOT NULL,
        operator_id text COLLATE "C" NOT NULL,
        url text NOT NULL,
        events text[] NOT NULL,
        all_accounts boolean NOT NULL,
        low_balance_threshold bigint,
        threshold_since timestamptz NOT NULL,
        status text NOT NULL,
        secret_sealed text,
        previous_secret_sealed text,
        previous_secret_until timestamptz,
        created_at timestamptz NOT NULL,
        registered_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        CONSTRAINT webhooks_pkey PRIMARY KEY (id),
        CONSTRAINT webhooks_operator_unique UNIQUE (operator_id, id),
        CONSTRAINT webhooks_operator_fkey FOREIGN KEY (operator_id) REFERENCES operators (id),
        CONSTRAINT webhooks_status CHECK (status IN ('active', 'paused', 'deleted')),
        CONSTRAINT webhooks_url_length CHECK (char_length(url) BETWEEN 1 AND 2048),
        CONSTRAINT webhooks_threshold_not_negative CHECK (low_balance_threshold >= 0),
        CONSTRAINT webhooks_secret_until_deleted CHECK ((status = 'deleted') = (secret_sealed IS NULL)),
        CONSTRAINT webhooks_previous_secret_whole CHECK ((previous_secret_sealed IS NULL) = (previous_secret_until IS NULL))
      )`);
    await runner.query(`CREATE INDEX webhooks_to_purge ON webhooks (id) WHERE status = 'deleted'`);
    await runner.query(`
      CREATE TABLE webhook_accounts (
        webhook_id text COLLATE "C" NOT NULL,
        operator_id text COLLATE "C" NOT NULL,
        account_id text COLLATE "C" NOT NULL,
        position smallint NOT NULL,
        CONSTRAINT webhook_accounts_pkey PRIMARY KEY (webhook_id, account_id),
        CONSTRAINT webhook_accounts_position_unique UNIQUE (webhook_id, position),
        CONSTRAINT webhook_accounts_webhook_fkey FOREIGN KEY (operator_id, webhook_id) REFERENCES webhooks (operator_id, id),
        CONSTRAINT webhook_accounts_account_fkey FOREIGN KEY (operator_id, account_id) REFERENCES accounts (operator_id, id)
      )`);
    // What was recorded before there were webhooks has nobody to go to. The database's clock says which webhook was there
    // before which event: those of many machines differ.
    await runner.query(`
      ALTER TABLE events
        ADD COLUMN webhook_id text COLLATE "C",
        ADD COLUMN fanned_out boolean NOT NULL DEFAULT true,
        ADD COLUMN recorded_at timestamptz,
        ALTER COLUMN account_id DROP NOT NULL,
        ALTER COLUMN sequence DROP NOT NULL,
        ADD CONSTRAINT events_webhook_fkey FOREIGN KEY (operator_id, webhook_id) REFERENCES webhooks (operator_id, id),
        ADD CONSTRAINT events_numbered CHECK ((account_id IS NULL) = (sequence IS NULL)),
        ADD CONSTRAINT events_tests_stand_alone CHECK ((type = 'webhook.test') = (account_id IS NULL) AND (type <> 'webhook.test' OR webhook_id IS NOT NULL))`);
    await runner.query(
      'ALTER TABLE events ALTER COLUMN fanned_out SET DEFAULT false, ALTER COLUMN recorded_at SET DEFAULT clock_timestamp()',
    );
    await runner.query('CREATE INDEX events_to_fan_out ON events (id) WHERE NOT fanned_out');
    await runner.query('CREATE INDEX events_of_webhook ON events (webhook_id) WHERE webhook_id IS NOT NULL');
    await runner.query('CREATE INDEX events_by_account ON events (account_id, id)');
    await runner.query('CREATE INDEX events_by_type ON events (operator_id, type, id)');
    await runner.query(recordEvent(', webhook_id', `, event ->> 'webhook_id'`));
    await runner.query(`
      CREATE TABLE webhook_deliveries (
        id text COLLATE "C" NOT NULL,
        operator_id text COLLATE "C" NOT NULL,
        webhook_id text COLLATE "C" NOT NULL,
        event_id text COLLATE "C" NOT NULL,
        status text NOT NULL DEFAULT 'pending',
        attempts integer NOT NULL DEFAULT 0,
        failures integer NOT NULL DEFAULT 0,
        next_attempt_at timestamptz,
        lease_until timestamptz NOT NULL DEFAULT '-infinity',
        created_at timestamptz NOT NULL,
        CONSTRAINT webhook_deliveries_pkey PRIMARY KEY (id),
        CONSTRAINT webhook_deliveries_once UNIQUE (event_id, webhook_id),
        CONSTRAINT webhook_deliveries_webhook_fkey FOREIGN KEY (operator_id, webhook_id) REFERENCES webhooks (operator_id, id),
        CONSTRAINT webhook_deliveries_event_fkey FOREIGN KEY (event_id) REFERENCES events (id) ON DELETE CASCADE,
        CONSTRAINT webhook_deliveries_status CHECK (status IN ('pending', 'delivered', 'undelivered')),
        CONSTRAINT webhook_deliveries_pending_is_due CHECK ((status = 'pending') = (next_attempt_at IS NOT NULL)),
        CONSTRAINT webhook_deliveries_counts CHECK (attempts >= 0 AND failures >= 0)
      ) WITH (fillfactor = 80)`);
    await runner.query('CREATE INDEX webhook_deliveries_listed ON webhook_deliveries (webhook_id, id)');
    await runner.query(
      `CREATE INDEX webhook_deliveries_pending ON webhook_deliveries (webhook_id, next_attempt_at) WHERE status = 'pending'`,
    );
    await runner.query(`CREATE INDEX webhook_deliveries_undelivered ON webhook_deliveries (webhook_id, id) WHERE status = 'undelivered'`);
    await runner.query(`
      CREATE TABLE webhook_delivery_attempts (
        delivery_id text COLLATE "C" NOT NULL,
        attempt integer NOT NULL,
        at timestamptz NOT NULL,
        status_code integer,
        duration_ms integer NOT NULL,
        error text,
        response_excerpt text,
        CONSTRAINT webhook_delivery_attempts_pkey PRIMARY KEY (delivery_id, attempt),
        CONSTRAINT webhook_delivery_attempts_delivery_fkey FOREIGN KEY (delivery_id) REFERENCES webhook_deliveries (id) ON DELETE CASCADE,
        CONSTRAINT webhook_delivery_attempts_from_one CHECK (attempt >= 1),
        CONSTRAINT webhook_delivery_attempts_answered CHECK ((status_code IS NULL) = (response_excerpt IS NULL)),
        CONSTRAINT webhook_delivery_attempts_say_why CHECK ((error IS NULL) = (status_code IS NOT NULL AND status_code BETWEEN 200 AND 299))
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE webhook_delivery_attempts');
    await runner.query('DROP TABLE webhook_deliveries');
    await runner.query(recordEvent('', ''));
    await runner.query('DROP INDEX events_to_fan_out, events_of_webhook, events_by_account, events_by_type');
    await runner.query('DELETE FROM events WHERE account_id IS NULL');
    await runner.query(`
      ALTER TABLE events
        DROP CONSTRAINT events_webhook_fkey, DROP CONSTRAINT events_numbered, DROP CONSTRAINT events_tests_stand_alone,
        DROP COLUMN webhook_id, DROP COLUMN fanned_out, DROP COLUMN recorded_at,
        ALTER COLUMN account_id SET NOT NULL,
        ALTER COLUMN sequence SET NOT NULL`);
    await runner.query('DROP TABLE webhook_accounts');
    await runner.query('DROP TABLE webhooks');
  }
}
