import { Controller, Get } from '@nestjs/common';
import type { Page } from '../lists/pages';
import { EVENT_DESCRIPTIONS, EVENT_TYPES, type EventType } from './event-types';

/** An event type that a webhook may subscribe to. */
export interface EventTypeView {
  type: EventType;
  description: string;
}

/** The event types of the contract. */
@Controller('event_types')
export class EventTypesController {
  /** Lists the event types that a webhook may subscribe to, and when each fires. */
  @Get()
  list(): Page<EventTypeView> {
    return { data: EVENT_TYPES.map((type) => ({ type, description: EVENT_DESCRIPTIONS[type] })), cursor: null, has_more: false };
  }
}
