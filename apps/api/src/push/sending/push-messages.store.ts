import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { execute, firstIdAt, sql } from '#database';
import { Clock } from '../../runtime/clock';
import type { EventData } from '../../events';

/** For how long an order that waits is worth a notification: after an outage of the workers, older ones are seen on the page. */
const NOTIFY_WITHIN_MS = 60 * 60_000;
/** How long a message is kept, so that its event is not notified again. Longer than `NOTIFY_WITHIN_MS`. */
const KEPT_MS = 24 * 60 * 60_000;
/** The most messages that one run sends, and those of one operator, whose push services may all be slow. */
const MAX_CLAIMED = 100;
const MAX_OF_OPERATOR = 10;
/** The most messages that one run deletes. */
const MAX_DELETED = 1_000;
/** How long this process may take to send a message, before another one claims it. */
const LEASE_MS = 30_000;

/** A message that this process has claimed. */
export interface ClaimedMessage {
  subscriptionId: string;
  keyId: string;
  endpoint: string;
  p256dh: string;
  auth: string;
  eventId: string;
  accountName: string;
  data: EventData['escalation.required'];
  /** The number of this attempt, from 1. */
  attempt: number;
}

/** The messages to browsers, each created once for an event, and claimed by one process at a time. */
@Injectable()
export class PushMessagesStore {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly clock: Clock,
  ) {}

  /** Creates the messages of orders that began to wait, and deletes old ones. */
  async create(): Promise<void> {
    const now = this.clock.now();
    const since = firstIdAt('evt', new Date(now.getTime() - NOTIFY_WITHIN_MS));
    await execute(
      this.database,
      sql`INSERT INTO push_messages (subscription_id, event_id, next_attempt_at, created_at)
          SELECT subscription.id, events.id, ${now}, ${now} FROM events JOIN push_subscriptions subscription USING (operator_id)
          WHERE events.type = 'escalation.required' AND events.id >= ${since} AND events.created_at >= subscription.created_at
          ON CONFLICT DO NOTHING`,
    );
    await execute(
      this.database,
      sql`DELETE FROM push_messages WHERE (subscription_id, event_id) IN (
            SELECT subscription_id, event_id FROM push_messages WHERE created_at < ${new Date(now.getTime() - KEPT_MS)}
            ORDER BY created_at LIMIT ${MAX_DELETED})`,
    );
  }

  /** Claims messages that are due, the oldest first. */
  async claim(): Promise<ClaimedMessage[]> {
    const now = this.clock.now();
    const rows = await execute(
      this.database,
      sql`WITH due AS (
            SELECT message.subscription_id, message.event_id,
                   row_number() OVER (PARTITION BY subscription.operator_id ORDER BY message.next_attempt_at) AS place
            FROM push_messages message JOIN push_subscriptions subscription ON subscription.id = message.subscription_id
            WHERE message.status = 'pending' AND message.next_attempt_at <= ${now}),
          chosen AS (SELECT * FROM due WHERE place <= ${MAX_OF_OPERATOR} LIMIT ${MAX_CLAIMED})
          UPDATE push_messages message
          SET attempts = attempts + 1, next_attempt_at = ${new Date(now.getTime() + LEASE_MS)}
          FROM chosen JOIN push_subscriptions subscription ON subscription.id = chosen.subscription_id
               JOIN events ON events.id = chosen.event_id JOIN accounts ON accounts.id = events.account_id
          WHERE message.subscription_id = chosen.subscription_id AND message.event_id = chosen.event_id
            AND message.status = 'pending' AND message.next_attempt_at <= ${now}
          RETURNING subscription.id AS subscription_id, key_id, endpoint, p256dh, auth,
                    message.event_id, accounts.name AS account_name, data, attempts`,
    );
    return rows.map((row) => ({
      subscriptionId: String(row.subscription_id),
      keyId: String(row.key_id),
      endpoint: String(row.endpoint),
      p256dh: String(row.p256dh),
      auth: String(row.auth),
      eventId: String(row.event_id),
      accountName: String(row.account_name),
      data: row.data as EventData['escalation.required'],
      attempt: Number(row.attempts),
    }));
  }

  /** Ends a message. */
  async end({ subscriptionId, eventId }: ClaimedMessage, status: 'sent' | 'failed'): Promise<void> {
    await execute(
      this.database,
      sql`UPDATE push_messages SET status = ${status}, next_attempt_at = NULL
          WHERE subscription_id = ${subscriptionId} AND event_id = ${eventId} AND status = 'pending'`,
    );
  }

  /** Sends a message again after a delay. */
  async retry({ subscriptionId, eventId }: ClaimedMessage, delayMs: number): Promise<void> {
    await execute(
      this.database,
      sql`UPDATE push_messages SET next_attempt_at = ${new Date(this.clock.now().getTime() + delayMs)}
          WHERE subscription_id = ${subscriptionId} AND event_id = ${eventId} AND status = 'pending'`,
    );
  }
}
