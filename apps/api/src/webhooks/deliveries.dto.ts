import { IsOmittable, IsOneOf } from '../http/checks';
import { pageQuery } from '../http/pages';

const STATUSES = ['pending', 'delivered', 'undelivered'] as const;
export type DeliveryStatus = (typeof STATUSES)[number];

export class ListDeliveriesQuery extends pageQuery({ of: 'dlv' }) {
  @IsOmittable()
  @IsOneOf(STATUSES)
  status?: DeliveryStatus;
}

/** An event on its way to a webhook. */
export interface DeliveryView {
  delivery_id: string;
  webhook_id: string;
  event_id: string;
  event_type: string;
  status: DeliveryStatus;
  /** Null when there will be none unless it is replayed. */
  next_attempt_at: string | null;
  /** Oldest first: the latest 20. */
  attempts: AttemptView[];
  /** When the event happened. */
  created_at: string;
}

/** One request to the receiver. */
export interface AttemptView {
  /** Counts from 1, on through replays. */
  attempt: number;
  at: string;
  /** Null when no answer came. */
  status_code: number | null;
  duration_ms: number;
  /** Why it failed; null when it did not. */
  error: string | null;
  /** At most 8 KiB of the answer's body, as text; null when no answer came. */
  response_excerpt: string | null;
}

interface AttemptRow extends Omit<AttemptView, 'at'> {
  at: string;
}

export interface DeliveryRow {
  id: string;
  webhook_id: string;
  event_id: string;
  event_type: string;
  status: DeliveryStatus;
  next_attempt_at: Date | null;
  attempts_made: AttemptRow[];
  created_at: Date;
}

export function deliveryView(row: DeliveryRow): DeliveryView {
  return {
    delivery_id: row.id,
    webhook_id: row.webhook_id,
    event_id: row.event_id,
    event_type: row.event_type,
    status: row.status,
    next_attempt_at: row.next_attempt_at?.toISOString() ?? null,
    attempts: row.attempts_made.map(({ attempt, at, status_code, duration_ms, error, response_excerpt }) => ({
      attempt,
      at: new Date(at).toISOString(),
      status_code,
      duration_ms,
      error,
      response_excerpt,
    })),
    created_at: row.created_at.toISOString(),
  };
}
