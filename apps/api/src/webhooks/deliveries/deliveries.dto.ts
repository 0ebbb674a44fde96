import { IsOmittable, IsOneOf } from '../../http/validation/checks';
import { pageQuery } from '../../lists/pages';
import { DELIVERY_STATUSES, type DeliveryStatus } from './delivery.states';

export class ListDeliveriesQuery extends pageQuery({ of: 'dlv' }) {
  @IsOmittable()
  @IsOneOf(DELIVERY_STATUSES)
  status?: DeliveryStatus;
}

/** The delivery of an event to a webhook. */
export interface DeliveryView {
  delivery_id: string;
  webhook_id: string;
  event_id: string;
  event_type: string;
  status: DeliveryStatus;
  /** Null where no further attempt is scheduled. */
  next_attempt_at: string | null;
  /** The latest 20, oldest first. */
  attempts: AttemptView[];
  /** When the event happened. */
  created_at: string;
}

/** One request to the receiver. */
export interface AttemptView {
  /** The number of the attempt, from 1. Replays continue it. */
  attempt: number;
  at: string;
  /** Null where there was no response. */
  status_code: number | null;
  duration_ms: number;
  /** Why the attempt failed; null where it succeeded. */
  error: string | null;
  /** At most 8 KiB of the response's body, as text; null where there was no response. */
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
