import { Controller, Get, Param, Query } from '@nestjs/common';
import { Caller } from '../http/caller';
import type { Page } from '../lists/pages';
import { ListEventsQuery, type EventView } from './events.dto';
import { EventsService } from './events.service';

/** The events of the last 30 days. */
@Controller('events')
export class EventsController {
  constructor(private readonly events: EventsService) {}

  /** Lists the events of the last 30 days. */
  @Get()
  list(@Query() query: ListEventsQuery, @Caller() caller: Caller): Promise<Page<EventView>> {
    return this.events.list(caller.operatorId, query);
  }

  /** Returns an event. */
  @Get(':id')
  get(@Param('id') id: string, @Caller() caller: Caller): Promise<EventView> {
    return this.events.get(caller.operatorId, id);
  }
}
