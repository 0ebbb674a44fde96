import { IsMoment, IsOmittable, IsOneOf, IsText } from '../http/validation/checks';
import { pageQuery } from '../lists/pages';
import { EVENT_TYPES, TEST_EVENT } from './event-types';
import type { Event } from './event.entity';

const MAX_ID_CHARACTERS = 64;

export class ListEventsQuery extends pageQuery({ of: 'evt' }) {
  @IsOmittable()
  @IsOneOf([...EVENT_TYPES, TEST_EVENT])
  type?: string;

  @IsOmittable()
  @IsText({ min: 1, max: MAX_ID_CHARACTERS })
  account_id?: string;

  /** Only events of this fleet, and of the accounts in it. */
  @IsOmittable()
  @IsText({ min: 1, max: MAX_ID_CHARACTERS })
  fleet_id?: string;

  /** Only events later than this moment. */
  @IsOmittable()
  @IsMoment()
  since?: string;
}

/** An event, as the API shows it and as the body of a delivery. */
export interface EventView {
  id: string;
  type: string;
  created_at: string;
  /** Null for an event of the operator, such as `job.finished`, or of a fleet, and for `webhook.test`. */
  account_id: string | null;
  /** The fleet that it belongs to, or that its account was in. Absent outside of a fleet. */
  fleet_id?: string;
  /** The number of the event among its account's, from 1 without gaps. Receivers detect missing and reordered events by it. */
  sequence: number | null;
  data: Record<string, unknown>;
}

export function eventView({ id, type, createdAt, accountId, fleetId, sequence, data }: Event): EventView {
  return {
    id,
    type,
    created_at: createdAt.toISOString(),
    account_id: accountId,
    ...(fleetId && { fleet_id: fleetId }),
    sequence: sequence === null ? null : Number(sequence),
    data,
  };
}
