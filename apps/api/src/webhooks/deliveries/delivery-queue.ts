import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { hydrate, runPrepared } from '#database';
import { Clock } from '../../runtime/clock';
import { Config } from '../../runtime/config';
import { Event } from '../../events';
import type { AttemptView } from './deliveries.dto';
import type { DeliveryStatus } from './delivery.states';

/** How much longer the lease is than an attempt may take, for storing the result. */
const LEASE_GRACE_MS = 5_000;

/** A delivery that this process has claimed, with everything that is needed to send it. */
export interface ClaimedDelivery {
  id: string;
  webhookId: string;
  /** When the lease ends. Identifies the claim. */
  leaseUntil: Date;
  /** The number of the attempt that is due, from 1. */
  attempt: number;
  /** Failed attempts since the delivery was created or replayed. */
  failures: number;
  event: Event;
  urlSealed: string;
  secretSealed: string;
  /** Null if there is none, or it is no longer used for signing. */
  previousSecretSealed: string | null;
}

/** The result of an attempt, and when the next one is due, if any. */
export interface AttemptResult extends Omit<AttemptView, 'attempt'> {
  delivery_id: string;
  status: DeliveryStatus;
  next_attempt_at: string | null;
}

/**
 * Finds the webhooks with pending deliveries by a loose index scan, so that neither a million deliveries of one webhook nor thousands of
 * idle webhooks slow it down. Claims the oldest deliveries of each, as many as its concurrency limit allows.
 */
const CLAIM = `
  WITH RECURSIVE waiting (webhook_id) AS (
         (SELECT webhook_id FROM webhook_deliveries WHERE status = 'pending' ORDER BY webhook_id LIMIT 1)
         UNION ALL
         SELECT (SELECT webhook_id FROM webhook_deliveries
                 WHERE status = 'pending' AND webhook_id > waiting.webhook_id ORDER BY webhook_id LIMIT 1)
         FROM waiting WHERE waiting.webhook_id IS NOT NULL),
       due AS (
         SELECT delivery.id FROM waiting JOIN webhooks ON webhooks.id = waiting.webhook_id AND webhooks.status = 'active'
         CROSS JOIN LATERAL (
           SELECT id, next_attempt_at FROM webhook_deliveries
           WHERE webhook_id = webhooks.id AND status = 'pending' AND next_attempt_at <= $1 AND lease_until <= $1
           ORDER BY next_attempt_at LIMIT COALESCE(($3::jsonb ->> webhooks.id)::int, $4) FOR UPDATE SKIP LOCKED) delivery
         ORDER BY delivery.next_attempt_at LIMIT $5),
       claimed AS (
         UPDATE webhook_deliveries SET lease_until = $2 FROM due WHERE webhook_deliveries.id = due.id
         RETURNING webhook_deliveries.id AS delivery_id, webhook_deliveries.webhook_id AS to_webhook_id, event_id, attempts + 1 AS attempt,
           failures)
  SELECT claimed.*, events.*, webhooks.url_sealed, webhooks.secret_sealed,
         CASE WHEN webhooks.previous_secret_until > $1 THEN webhooks.previous_secret_sealed END AS previous_secret_sealed
  FROM claimed JOIN events ON events.id = claimed.event_id
  JOIN webhooks ON webhooks.id = claimed.to_webhook_id AND webhooks.status = 'active'`;

/** A delivery that another process has finished meanwhile keeps its status. The attempt is stored in any case. */
const RECORD = `
  WITH result AS (SELECT * FROM jsonb_to_recordset($1) AS result (
         delivery_id text, at timestamptz, status_code int, duration_ms int, error text, response_excerpt text, status text,
         next_attempt_at timestamptz)),
       moved AS (
         UPDATE webhook_deliveries delivery
         SET attempts = attempts + 1, failures = failures + (result.error IS NOT NULL)::int, lease_until = '-infinity',
             status = CASE WHEN delivery.status = 'pending' THEN result.status ELSE delivery.status END,
             next_attempt_at = CASE WHEN delivery.status = 'pending' THEN result.next_attempt_at ELSE delivery.next_attempt_at END
         FROM result WHERE delivery.id = result.delivery_id RETURNING delivery.id, delivery.webhook_id, attempts)
  INSERT INTO webhook_delivery_attempts (delivery_id, webhook_id, attempt, at, status_code, duration_ms, error, response_excerpt)
  SELECT moved.id, moved.webhook_id, moved.attempts, at, status_code, duration_ms, error, response_excerpt FROM moved
    JOIN result ON result.delivery_id = moved.id`;

/** The deliveries that are due, and the results of attempts. Claims are leases: another process claims the deliveries of a dead one. */
@Injectable()
export class DeliveryQueue {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /** Claims at most `limit` deliveries that are due: of each webhook at most `available[id]`, or else `initial`. */
  async claim({
    limit,
    available,
    initial,
  }: {
    limit: number;
    available: Record<string, number>;
    initial: number;
  }): Promise<ClaimedDelivery[]> {
    const now = this.clock.now();
    const leaseUntil = new Date(now.getTime() + this.config.WEBHOOK_TIMEOUT_MS + LEASE_GRACE_MS);
    const rows = await runPrepared(this.database, CLAIM, [now, leaseUntil, JSON.stringify(available), initial, limit]);
    return rows.map((row) => ({
      id: String(row.delivery_id),
      webhookId: String(row.to_webhook_id),
      leaseUntil,
      attempt: Number(row.attempt),
      failures: Number(row.failures),
      event: hydrate(this.database, Event, row),
      urlSealed: String(row.url_sealed),
      secretSealed: String(row.secret_sealed),
      previousSecretSealed: row.previous_secret_sealed === null ? null : String(row.previous_secret_sealed),
    }));
  }

  /** Stores the results of attempts, at most one of each delivery. */
  async record(results: AttemptResult[]): Promise<void> {
    await runPrepared(this.database, RECORD, [JSON.stringify(results)]);
  }

  /** Releases a claim, unless it has ended meanwhile and the delivery is claimed by another process. */
  async release({ id, leaseUntil }: Pick<ClaimedDelivery, 'id' | 'leaseUntil'>): Promise<void> {
    await this.database.query(`UPDATE webhook_deliveries SET lease_until = '-infinity' WHERE id = $1 AND lease_until = $2`, [
      id,
      leaseUntil,
    ]);
  }

  /** The ids among `webhookIds` whose webhooks are active now. */
  async active(webhookIds: string[]): Promise<Set<string>> {
    const rows = await runPrepared(this.database, `SELECT id FROM webhooks WHERE id = ANY ($1) AND status = 'active'`, [
      [...new Set(webhookIds)],
    ]);
    return new Set(rows.map(({ id }) => String(id)));
  }
}
