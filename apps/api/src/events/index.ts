/** The public face of events, for the features right of it. */
export { EVENT_TYPES, TEST_EVENT, type EventType } from './event-types';
export type { EventData } from './event-data';
export { Event } from './event.entity';
export { eventView, type EventView } from './events.dto';
export { EventsModule } from './events.module';
export { EVENT_RETENTION_MS, EventsService } from './events.service';
export { OutboxService, type EventToRecord } from './outbox.service';
