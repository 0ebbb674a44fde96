import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { runPrepared } from '#database';
import { Clock } from '../runtime/clock';
import { TEST_EVENT } from '../events';

/** Events that one statement fans out: even to a thousand webhooks each, it ends well within a statement's time. */
export const FAN_OUT_BATCH = 50;

/**
 * Events that nobody has fanned out yet become deliveries to the webhooks that ask for them and were there before them. The
 * event's row is the lock and the mark, and a delivery's id follows from event and webhook: two relays at once make each
 * delivery once, and a relay that dies has done all of it or nothing. Its time is the event's, so that ids sort by age.
 */
export const FAN_OUT = `
  WITH batch AS MATERIALIZED (SELECT * FROM events WHERE NOT fanned_out ORDER BY id LIMIT ${FAN_OUT_BATCH} FOR UPDATE SKIP LOCKED),
       made AS (
         INSERT INTO webhook_deliveries (id, operator_id, webhook_id, event_id, next_attempt_at, created_at)
         SELECT 'dlv_' || substr(batch.id, 5, 10) || substr(md5(batch.id || webhooks.id), 1, 16), batch.operator_id, webhooks.id, batch.id, $1, batch.created_at
         FROM batch JOIN webhooks ON webhooks.operator_id = batch.operator_id
         WHERE webhooks.status <> 'deleted'
           AND webhooks.registered_at <= batch.recorded_at
           AND (batch.webhook_id IS NULL OR batch.webhook_id = webhooks.id)
           AND (batch.type = '${TEST_EVENT}' OR webhooks.events = '{}' OR batch.type = ANY (webhooks.events))
           AND (batch.type = '${TEST_EVENT}' OR webhooks.all_accounts OR EXISTS (
                 SELECT 1 FROM webhook_accounts WHERE webhook_accounts.webhook_id = webhooks.id AND webhook_accounts.account_id = batch.account_id))
         ON CONFLICT DO NOTHING)
  UPDATE events SET fanned_out = true FROM batch WHERE events.id = batch.id RETURNING events.id`;

/** Turns events into deliveries. */
@Injectable()
export class FanOut {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly clock: Clock,
  ) {}

  /** One batch. How many events it held. */
  async run(): Promise<number> {
    return (await runPrepared(this.database, FAN_OUT, [this.clock.now()])).length;
  }
}
