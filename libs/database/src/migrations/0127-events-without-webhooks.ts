import type { MigrationInterface, QueryRunner } from 'typeorm';
import { recordWaitingEvent } from './0082-events-to-fan-out';

const TRACEPARENT = [', traceparent', `, event ->> 'traceparent'`] as const;

/** Events of operators without webhooks are not named as ones to fan out: 0.6 KB of WAL a transfer. */
export class EventsWithoutWebhooks0000000000127 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const hasWebhooks = ` WHERE EXISTS (SELECT FROM webhooks WHERE operator_id = event ->> 'operator_id')`;
    await runner.query(recordWaitingEvent(...TRACEPARENT, hasWebhooks));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(recordWaitingEvent(...TRACEPARENT));
  }
}
