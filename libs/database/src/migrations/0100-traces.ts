import type { MigrationInterface, QueryRunner } from 'typeorm';
import { RECORD_WAITING_EVENT } from './0082-events-to-fan-out';

/** `record_event`, which stores the trace that the event's change was part of, too. */
const RECORD_TRACED_EVENT = `
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
        ), numbered AS (SELECT last_sequence FROM counter UNION ALL SELECT last_sequence FROM fleet_counter UNION ALL SELECT last_sequence FROM operator_counter),
        recorded AS (
          INSERT INTO events (id, operator_id, account_id, fleet_id, sequence, type, data, created_at, webhook_id, traceparent)
          SELECT event ->> 'id', event ->> 'operator_id', event ->> 'account_id',
            CASE WHEN event ->> 'account_id' IS NULL THEN event ->> 'fleet_id' ELSE (SELECT fleet_id FROM accounts WHERE id = event ->> 'account_id') END,
            last_sequence, event ->> 'type', event -> 'data', (event ->> 'created_at')::timestamptz, event ->> 'webhook_id', event ->> 'traceparent'
          FROM numbered RETURNING id, sequence
        ), waiting AS (INSERT INTO events_to_fan_out SELECT id FROM recorded)
        SELECT sequence FROM recorded
      $$`;

/** The trace that an order or an event belongs to, so that recovery and deliveries continue it. The columns are added without rewriting a table. */
export class Traces0000000000100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE orders ADD COLUMN traceparent text');
    await runner.query('ALTER TABLE events ADD COLUMN traceparent text');
    await runner.query(RECORD_TRACED_EVENT);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(RECORD_WAITING_EVENT);
    await runner.query('ALTER TABLE events DROP COLUMN traceparent');
    await runner.query('ALTER TABLE orders DROP COLUMN traceparent');
  }
}
