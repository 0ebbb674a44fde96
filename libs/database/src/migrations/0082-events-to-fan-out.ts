import type { MigrationInterface, QueryRunner } from 'typeorm';
import { RECORD_EVENT_OF_FLEETS_TOO } from './0080-fleets';

/** `record_event`, which names the event as one to fan out, too. `column`: a further one of its row. `onlyIf`: whether it is named. */
export const recordWaitingEvent = (column = '', value = '', onlyIf = ''): string => `
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
          INSERT INTO events (id, operator_id, account_id, fleet_id, sequence, type, data, created_at, webhook_id${column})
          SELECT event ->> 'id', event ->> 'operator_id', event ->> 'account_id',
            CASE WHEN event ->> 'account_id' IS NULL THEN event ->> 'fleet_id' ELSE (SELECT fleet_id FROM accounts WHERE id = event ->> 'account_id') END,
            last_sequence, event ->> 'type', event -> 'data', (event ->> 'created_at')::timestamptz, event ->> 'webhook_id'${value}
          FROM numbered RETURNING id, sequence
        ), waiting AS (INSERT INTO events_to_fan_out SELECT id FROM recorded${onlyIf})
        SELECT sequence FROM recorded
      $$`;

/**
 * Events that have no deliveries yet are named in a table of their own. A mark in the event's row would write the row and its entry in every
 * index a second time: 1.1 KB of WAL an event. Nothing references `events` from it: both rows are written by one statement.
 */
export class EventsToFanOut0000000000082 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX events_to_fan_out');
    await runner.query(`
      CREATE TABLE events_to_fan_out (
        event_id text COLLATE "C" NOT NULL,
        CONSTRAINT events_to_fan_out_pkey PRIMARY KEY (event_id)
      )`);
    await runner.query('INSERT INTO events_to_fan_out SELECT id FROM events WHERE NOT fanned_out');
    await runner.query('ALTER TABLE events DROP COLUMN fanned_out');
    await runner.query(recordWaitingEvent());
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(RECORD_EVENT_OF_FLEETS_TOO);
    await runner.query('ALTER TABLE events ADD COLUMN fanned_out boolean NOT NULL DEFAULT true');
    await runner.query('ALTER TABLE events ALTER COLUMN fanned_out SET DEFAULT false');
    await runner.query('UPDATE events SET fanned_out = false FROM events_to_fan_out WHERE event_id = id');
    await runner.query('DROP TABLE events_to_fan_out');
    await runner.query('CREATE INDEX events_to_fan_out ON events (id) WHERE NOT fanned_out');
  }
}
