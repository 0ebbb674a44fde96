import type { MigrationInterface, QueryRunner } from 'typeorm';
import { recordWaitingEvent } from './0082-events-to-fan-out';

/** The trace that an order or an event belongs to, so that recovery and deliveries continue it. The columns are added without rewriting a table. */
export class Traces0000000000100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE orders ADD COLUMN traceparent text');
    await runner.query('ALTER TABLE events ADD COLUMN traceparent text');
    await runner.query(recordWaitingEvent(', traceparent', `, event ->> 'traceparent'`));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(recordWaitingEvent());
    await runner.query('ALTER TABLE events DROP COLUMN traceparent');
    await runner.query('ALTER TABLE orders DROP COLUMN traceparent');
  }
}
