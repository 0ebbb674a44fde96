import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { And, DataSource, In, MoreThan, MoreThanOrEqual } from 'typeorm';
import { firstIdAt, isId } from '#database';
import { Clock } from '../runtime/clock';
import { NotFound } from '../http/domain.errors';
import { pageWindow, toPage, type Page } from '../lists/pages';
import { Event } from './event.entity';
import { eventView, type EventView, type ListEventsQuery } from './events.dto';

/** How long an event is shown before the retention job deletes it. */
export const EVENT_RETENTION_MS = 30 * 24 * 60 * 60_000;

/** Reads events for the API. */
@Injectable()
export class EventsService {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly clock: Clock,
  ) {}

  async list(operatorId: string, query: ListEventsQuery): Promise<Page<EventView>> {
    const { where, ...window } = pageWindow(query);
    const oldest = this.oldestShown();
    const since = query.since === undefined ? oldest : new Date(Math.max(new Date(query.since).getTime(), oldest.getTime()));
    // The first bound is the cursor's. The second one bounds the scan of the index by the time.
    const bounds = [where.id, MoreThanOrEqual(firstIdAt('evt', since))].filter((bound) => bound !== undefined);
    const events = await this.database.manager.find(Event, {
      ...window,
      where: {
        operatorId,
        ...(query.type !== undefined && { type: query.type }),
        ...(query.account_id !== undefined && { accountId: query.account_id }),
        ...(query.fleet_id !== undefined && { fleetId: query.fleet_id }),
        createdAt: MoreThan(since),
        id: And(...bounds),
      },
    });
    return toPage(events, query, eventView);
  }

  async get(operatorId: string, id: string): Promise<EventView> {
    const event = isId('evt', id)
      ? await this.database.manager.findOneBy(Event, { id, operatorId, createdAt: MoreThan(this.oldestShown()) })
      : null;
    if (!event) throw new NotFound();
    return eventView(event);
  }

  /** The newest events of operators after the event `afterId`, at most `limit`, oldest first. */
  async after(operatorIds: string[], afterId: string, limit: number): Promise<Event[]> {
    const events = await this.database.manager.find(Event, {
      select: { id: true, operatorId: true, accountId: true, type: true },
      where: { operatorId: In(operatorIds), id: MoreThan(afterId) },
      order: { id: 'DESC' },
      take: limit,
    });
    return events.reverse();
  }

  private oldestShown(): Date {
    return new Date(this.clock.now().getTime() - EVENT_RETENTION_MS);
  }
}
