import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { execute, isId, sql } from '#database';
import { Clock } from '../../runtime/clock';
import { Conflict, NotFound } from '../../http/domain.errors';
import { toPage, type Page } from '../../lists/pages';
import { enter, leave } from '../../persistence/transition';
import { deliveryView, type DeliveryRow, type DeliveryView, type ListDeliveriesQuery } from './deliveries.dto';
import { DELIVERY_TRANSITIONS } from './delivery.states';
import { WebhooksService } from '../webhooks.service';

/** The deliveries of a webhook that were made due. */
export interface RetriedView {
  webhook_id: string;
  count: number;
}

const SHOWN_ATTEMPTS = 20;
/** The most deliveries that one statement replays. */
const REPLAY_BATCH = 5_000;

const DELIVERIES = `
  SELECT delivery.*, events.type AS event_type,
         (SELECT COALESCE(json_agg(latest ORDER BY latest.attempt), '[]')
          FROM (
            SELECT * FROM webhook_delivery_attempts WHERE delivery_id = delivery.id ORDER BY attempt DESC LIMIT ${SHOWN_ATTEMPTS}
          ) latest) AS attempts_made
  FROM webhook_deliveries delivery JOIN events ON events.id = delivery.event_id`;

/** Deliveries: lists them with their attempts, and replays them. */
@Injectable()
export class DeliveriesService {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly clock: Clock,
    private readonly webhooks: WebhooksService,
  ) {}

  async list(operatorId: string, webhookId: string, query: ListDeliveriesQuery): Promise<Page<DeliveryView>> {
    await this.webhooks.get(operatorId, webhookId);
    const rows: DeliveryRow[] = await this.database.query(
      `${DELIVERIES} WHERE delivery.webhook_id = $1 AND ($2::text IS NULL OR delivery.status = $2)
          AND ($3::text IS NULL OR delivery.id < $3) ORDER BY delivery.id DESC LIMIT $4`,
      [webhookId, query.status ?? null, query.cursor ?? null, query.limit + 1],
    );
    return toPage(rows, query, deliveryView);
  }

  async get(operatorId: string, id: string): Promise<DeliveryView> {
    const [row] = isId('dlv', id)
      ? ((await this.database.query(`${DELIVERIES} WHERE delivery.id = $1 AND delivery.operator_id = $2`, [
          id,
          operatorId,
        ])) as DeliveryRow[])
      : [];
    if (!row) throw new NotFound();
    await this.webhooks.get(operatorId, row.webhook_id);
    return deliveryView(row);
  }

  /**
   * Sends a final delivery again, by the whole schedule from now. Its attempts continue to count. @throws NotFound; Conflict for a pending
   * one.
   */
  async replay(operatorId: string, id: string): Promise<DeliveryView> {
    const { status } = await this.get(operatorId, id);
    const { replay } = DELIVERY_TRANSITIONS;
    const [replayed] = await execute(
      this.database,
      sql`UPDATE webhook_deliveries SET ${enter(replay)}, failures = 0, next_attempt_at = ${this.clock.now()}
          WHERE id = ${id} AND ${leave(replay)} RETURNING id`,
    );
    if (!replayed)
      throw new Conflict(
        status === 'pending' ? 'The delivery is still under way: it is tried again by itself.' : 'The delivery was just sent again.',
        'pending',
      );
    return this.get(operatorId, id);
  }

  /**
   * Makes the attempt that is due now. One that is under way is that attempt. @throws NotFound; Conflict for a delivery that is final, and
   * for a paused webhook
   */
  async send(operatorId: string, id: string): Promise<DeliveryView> {
    const { status, webhook_id: webhookId } = await this.get(operatorId, id);
    await this.webhooks.requireActive(operatorId, webhookId);
    const now = this.clock.now();
    const [due] = await execute(
      this.database,
      sql`UPDATE webhook_deliveries SET next_attempt_at = CASE WHEN lease_until > ${now} THEN next_attempt_at ELSE LEAST(next_attempt_at, ${now}) END
          WHERE id = ${id} AND status = 'pending' RETURNING id`,
    );
    if (!due) throw new Conflict('The delivery is final: replay sends it again.', status === 'pending' ? 'delivered' : status);
    return this.get(operatorId, id);
  }

  /** Makes all deliveries of a webhook due that wait, oldest first. @throws NotFound; Conflict for a paused webhook */
  async retry(operatorId: string, webhookId: string): Promise<RetriedView> {
    await this.webhooks.requireActive(operatorId, webhookId);
    const now = this.clock.now();
    for (let count = 0; ; ) {
      // The queue takes what is due in the order of its time.
      const batch = await execute(
        this.database,
        sql`UPDATE webhook_deliveries SET next_attempt_at = LEAST(created_at, ${now}) WHERE id IN (
              SELECT id FROM webhook_deliveries
              WHERE webhook_id = ${webhookId} AND status = 'pending' AND next_attempt_at > ${now} AND lease_until <= ${now}
              ORDER BY next_attempt_at LIMIT ${REPLAY_BATCH}) AND status = 'pending' RETURNING id`,
      );
      count += batch.length;
      if (batch.length < REPLAY_BATCH) return { webhook_id: webhookId, count };
    }
  }

  /** Replays all undelivered deliveries of events later than `since`. Returns their number. */
  async replayAll(operatorId: string, webhookId: string, since: Date | null): Promise<{ replayed: number }> {
    await this.webhooks.get(operatorId, webhookId);
    const now = this.clock.now();
    let replayed = 0;
    for (;;) {
      const batch = await execute(
        this.database,
        sql`UPDATE webhook_deliveries SET ${enter(DELIVERY_TRANSITIONS.replay)}, failures = 0, next_attempt_at = ${now} WHERE id IN (
              SELECT id FROM webhook_deliveries
              WHERE webhook_id = ${webhookId} AND status = 'undelivered' AND (${since}::timestamptz IS NULL OR created_at > ${since})
              ORDER BY id LIMIT ${REPLAY_BATCH}) RETURNING id`,
      );
      replayed += batch.length;
      if (batch.length < REPLAY_BATCH) return { replayed };
    }
  }
}
