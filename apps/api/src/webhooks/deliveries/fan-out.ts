import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { runPrepared } from '#database';
import { Clock } from '../../runtime/clock';
import { TEST_EVENT } from '../../events';

/** Events that one statement fans out. With a thousand webhooks for each it stays well within the statement time-out. */
export const FAN_OUT_BATCH = 50;

/**
 * Creates deliveries of new events for the webhooks that subscribe to them and were registered before them. An event of an operator without any
 * webhook is not among them. What names the event as
 * one to fan out is deleted in the same statement, and a delivery's id is derived from event and webhook: concurrent fan-outs create each delivery once, and
 * a crash leaves all of a batch or nothing. The id contains the event's time, so that ids sort by age.
 */
export const FAN_OUT = `
  WITH waiting AS (
         DELETE FROM events_to_fan_out WHERE event_id IN (
           SELECT event_id FROM events_to_fan_out ORDER BY event_id LIMIT ${FAN_OUT_BATCH} FOR UPDATE SKIP LOCKED)
         RETURNING event_id),
       batch AS (SELECT events.* FROM events JOIN waiting ON waiting.event_id = events.id),
       created AS (
         INSERT INTO webhook_deliveries (id, operator_id, webhook_id, event_id, next_attempt_at, created_at)
         SELECT 'dlv_' || substr(batch.id, 5, 10) || substr(md5(batch.id || webhooks.id), 1, 16), batch.operator_id, webhooks.id, batch.id,
           $1, batch.created_at
         FROM batch JOIN webhooks ON webhooks.operator_id = batch.operator_id
         WHERE webhooks.status <> 'deleted'
           AND webhooks.registered_at <= batch.recorded_at
           AND (batch.webhook_id IS NULL OR batch.webhook_id = webhooks.id)
           AND (batch.type = '${TEST_EVENT}' OR webhooks.events = '{}' OR batch.type = ANY (webhooks.events))
           AND (batch.type = '${TEST_EVENT}' OR webhooks.all_accounts OR EXISTS (
                 SELECT 1 FROM webhook_accounts WHERE webhook_accounts.webhook_id = webhooks.id
                   AND webhook_accounts.account_id = batch.account_id)
                OR EXISTS (SELECT 1 FROM webhook_fleets WHERE webhook_fleets.webhook_id = webhooks.id
                   AND webhook_fleets.fleet_id = batch.fleet_id))
         ON CONFLICT DO NOTHING)
  SELECT event_id FROM waiting`;

/** PostgreSQL may plan FAN_OUT at each call, which costs ten times as much as this. */
const IS_WAITING = 'SELECT FROM events_to_fan_out LIMIT 1';

/** Creates the deliveries of events. */
@Injectable()
export class FanOut {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly clock: Clock,
  ) {}

  /** Fans out one batch of events. Returns their number. */
  async run(): Promise<number> {
    if ((await runPrepared(this.database, IS_WAITING, [])).length === 0) return 0;
    return (await runPrepared(this.database, FAN_OUT, [this.clock.now()])).length;
  }
}
