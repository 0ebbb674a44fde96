import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Notifications in operators' browsers (Web Push): the service's key, the browsers, and what is sent to them. */
export class Push0000000000021 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE push_keys (
        id text PRIMARY KEY,
        public_key text NOT NULL,
        private_key_sealed text NOT NULL,
        CONSTRAINT push_keys_only_one CHECK (id = 'vapid')
      )`);
    await runner.query(`
      CREATE TABLE push_subscriptions (
        id text PRIMARY KEY,
        operator_id text NOT NULL REFERENCES operators (id),
        key_id text NOT NULL REFERENCES api_keys (id),
        endpoint text NOT NULL,
        p256dh text NOT NULL,
        auth text NOT NULL,
        created_at timestamptz NOT NULL,
        CONSTRAINT push_subscriptions_endpoint UNIQUE (endpoint)
      )`);
    await runner.query('CREATE INDEX push_subscriptions_of_operator ON push_subscriptions (operator_id)');
    await runner.query(`
      CREATE TABLE push_messages (
        subscription_id text NOT NULL REFERENCES push_subscriptions (id) ON DELETE CASCADE,
        event_id text NOT NULL,
        status text NOT NULL DEFAULT 'pending',
        attempts integer NOT NULL DEFAULT 0,
        next_attempt_at timestamptz,
        created_at timestamptz NOT NULL,
        PRIMARY KEY (subscription_id, event_id),
        CONSTRAINT push_messages_status CHECK (status IN ('pending', 'sent', 'failed')),
        CONSTRAINT push_messages_due CHECK ((status = 'pending') = (next_attempt_at IS NOT NULL))
      )`);
    await runner.query(`CREATE INDEX push_messages_by_due ON push_messages (next_attempt_at) WHERE status = 'pending'`);
    await runner.query('CREATE INDEX push_messages_by_age ON push_messages (created_at)');
    await runner.query(`CREATE INDEX events_of_escalations ON events (id) WHERE type = 'escalation.required'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX events_of_escalations');
    await runner.query('DROP TABLE push_messages');
    await runner.query('DROP TABLE push_subscriptions');
    await runner.query('DROP TABLE push_keys');
  }
}
