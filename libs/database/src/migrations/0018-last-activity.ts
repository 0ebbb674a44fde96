import type { MigrationInterface, QueryRunner } from 'typeorm';

const recordEvent = (column: string, value: string, update: string): string => `
      CREATE OR REPLACE FUNCTION record_event(event jsonb) RETURNS bigint LANGUAGE sql AS $$
        WITH counter AS (
          INSERT INTO event_counters AS counter (account_id, last_sequence${column}) SELECT event ->> 'account_id', 1${value} WHERE event IS NOT NULL
          ON CONFLICT (account_id) DO UPDATE SET last_sequence = counter.last_sequence + 1${update} RETURNING last_sequence
        )
        INSERT INTO events (id, operator_id, account_id, sequence, type, data, created_at, webhook_id)
        SELECT event ->> 'id', event ->> 'operator_id', event ->> 'account_id', last_sequence, event ->> 'type', event -> 'data', (event ->> 'created_at')::timestamptz, event ->> 'webhook_id'
        FROM counter RETURNING sequence
      $$`;

/** When an account last did something: the time of its newest event, kept where its events are counted. */
export class LastActivity0000000000018 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE event_counters ADD COLUMN last_event_at timestamptz');
    await runner.query(
      recordEvent(', last_event_at', `, (event ->> 'created_at')::timestamptz`, `, last_event_at = (event ->> 'created_at')::timestamptz`),
    );
    await runner.query(`
      UPDATE event_counters SET last_event_at = events.created_at FROM events
      WHERE events.account_id = event_counters.account_id AND events.sequence = event_counters.last_sequence`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(recordEvent('', '', ''));
    await runner.query('ALTER TABLE event_counters DROP COLUMN last_event_at');
  }
}
