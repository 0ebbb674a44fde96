import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { execute, sql } from '#database';
import { Clock } from '../../runtime/clock';

const DAY_MS = 24 * 60 * 60_000;

/** The outcome of the attempts of the last 24 hours. */
export interface Health {
  /** `unused`: there were none. `failing`: the newest failed. */
  health: 'unused' | 'failing' | 'healthy';
  /** The first failure since the last success; null unless it is failing. */
  failing_since: string | null;
  /** Deliveries that arrived. */
  delivered: number;
  /** Attempts that failed. */
  failed: number;
}

/** The health of a webhook that was sent nothing. */
export const UNUSED: Health = { health: 'unused', failing_since: null, delivered: 0, failed: 0 };

/** Reads how the latest attempts of webhooks went. */
@Injectable()
export class WebhookHealth {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly clock: Clock,
  ) {}

  /** The health of webhooks, by their ids. */
  async of(webhookIds: string[]): Promise<(webhookId: string) => Health> {
    const since = new Date(this.clock.now().getTime() - DAY_MS);
    const rows = await execute(
      this.database,
      sql`WITH sums AS (
            SELECT webhook_id, count(DISTINCT delivery_id) FILTER (WHERE error IS NULL)::int AS delivered,
                   count(*) FILTER (WHERE error IS NOT NULL)::int AS failed,
                   max(at) FILTER (WHERE error IS NULL) AS arrived_at, max(at) FILTER (WHERE error IS NOT NULL) AS failed_at
            FROM webhook_delivery_attempts WHERE webhook_id = ANY(${webhookIds}) AND at > ${since} GROUP BY webhook_id)
          SELECT webhook_id, delivered, failed,
                 CASE WHEN failed_at > arrived_at OR arrived_at IS NULL THEN (
                   SELECT min(at) FROM webhook_delivery_attempts attempt
                   WHERE attempt.webhook_id = sums.webhook_id AND at > COALESCE(arrived_at, ${since}) AND error IS NOT NULL) END AS failing_since
          FROM sums`,
    );
    const found = new Map(
      rows.map(({ webhook_id, delivered, failed, failing_since: failingSince }): [string, Health] => [
        String(webhook_id),
        {
          health: failingSince instanceof Date ? 'failing' : 'healthy',
          failing_since: failingSince instanceof Date ? failingSince.toISOString() : null,
          delivered: Number(delivered),
          failed: Number(failed),
        },
      ]),
    );
    return (webhookId) => found.get(webhookId) ?? UNUSED;
  }

  /** How many active webhooks of an operator are failing. */
  async failing(operatorId: string): Promise<number> {
    const rows = await execute(this.database, sql`SELECT id FROM webhooks WHERE operator_id = ${operatorId} AND status = 'active'`);
    const ids = rows.map(({ id }) => String(id));
    const healthOf = await this.of(ids);
    return ids.filter((id) => healthOf(id).health === 'failing').length;
  }
}
