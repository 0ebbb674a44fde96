import type { Server } from 'node:http';
import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { InjectDataSource } from '@nestjs/typeorm';
import type { Request, Response } from 'express';
import { DataSource } from 'typeorm';
import { firstIdAt, isId } from '#database';
import { Clock } from '../runtime/clock';
import { Unauthorized } from '../http/domain.errors';
import { BrowserSessionsService } from '../keys';
import { RateLimited } from './dashboard.errors';

const POLL_MS = 1_000;
/** Ids begin with the time at which a transaction made them, and it may commit later, or on a machine whose clock is behind. */
const LOOK_BACK_MS = 10_000;
const HEARTBEAT_MS = 15_000;
/** How soon a page comes back when its stream ends. */
const RECONNECT_MS = 2_000;
const MAX_EVENTS = 1_000;
const MAX_MISSED = 100;
const MAX_STREAMS = 500;
const MAX_STREAMS_PER_OPERATOR = 20;
/** A page that reads no more is let go when so much waits for it. */
const MAX_WAITING_BYTES = 64 * 1024;

interface Stream {
  operatorId: string;
  request: Request;
  response: Response;
  checkedAt: number;
}

interface EventRow {
  id: string;
  operator_id: string;
  account_id: string | null;
  type: string;
}

/** Server-sent events: one question a second to the database, and only while somebody listens. The page asks the API what has changed. */
@Injectable()
export class DashboardEventsService implements OnModuleDestroy {
  private readonly logger = new Logger(DashboardEventsService.name);
  private readonly streams = new Set<Stream>();
  /** Ids that were told, or happened before anybody listened, as long as the look back may find them. */
  private readonly known = new Set<string>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly clock: Clock,
    private readonly sessions: BrowserSessionsService,
    private readonly adapter: HttpAdapterHost,
  ) {}

  /** Keeps the answer open, and tells each event of the operator from now on, after those since `Last-Event-ID`. */
  async listen(request: Request, response: Response): Promise<void> {
    const { caller } = await this.sessions.authenticate(request);
    this.requireRoom(caller.operatorId);
    const stream: Stream = { operatorId: caller.operatorId, request, response, checkedAt: Date.now() };
    this.streams.add(stream);
    response.on('close', () => this.streams.delete(stream));
    response
      .status(200)
      .set({ 'Content-Type': 'text/event-stream; charset=utf-8', 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' });
    response.write(`retry: ${RECONNECT_MS}\n\n`);
    for (const event of await this.missed(caller.operatorId, request.get('Last-Event-ID'))) this.tell(stream, event);
    this.timer ??= setTimeout(() => void this.tick(), POLL_MS);
  }

  onModuleDestroy(): void {
    clearTimeout(this.timer);
    this.endAll();
  }

  private requireRoom(operatorId: string): void {
    const own = [...this.streams].filter((stream) => stream.operatorId === operatorId).length;
    if (own < MAX_STREAMS_PER_OPERATOR && this.streams.size < MAX_STREAMS) return;
    throw new RateLimited('Too many pages are open: close some.', { limit: MAX_STREAMS_PER_OPERATOR, retryAfterSeconds: 30 });
  }

  private async tick(): Promise<void> {
    try {
      // A server that stops waits for its answers to end, and these have no end of their own.
      const server: Server = this.adapter.httpAdapter.getHttpServer();
      if (!server.listening) this.endAll();
      if (this.streams.size > 0) await this.tellNews();
      await Promise.all([...this.streams].map((stream) => this.keepAlive(stream)));
    } catch (error) {
      this.logger.warn(`The pages were not told what changed, and are in a second: ${String(error)}`);
    }
    this.timer = this.streams.size > 0 ? setTimeout(() => void this.tick(), POLL_MS) : undefined;
  }

  private async tellNews(): Promise<void> {
    const since = firstIdAt('evt', new Date(this.clock.now().getTime() - LOOK_BACK_MS));
    const rows = await this.read([...new Set([...this.streams].map(({ operatorId }) => operatorId))], since, MAX_EVENTS);
    const news = rows.filter(({ id }) => !this.known.has(id));
    for (const id of this.known) if (id < since) this.known.delete(id);
    for (const { id } of news) this.known.add(id);
    for (const event of news) {
      for (const stream of this.streams) if (stream.operatorId === event.operator_id) this.tell(stream, event);
    }
  }

  private async missed(operatorId: string, lastId: string | undefined): Promise<EventRow[]> {
    return lastId !== undefined && isId('evt', lastId) ? this.read([operatorId], lastId, MAX_MISSED) : [];
  }

  /** The newest events after an id, oldest first. */
  private async read(operatorIds: string[], after: string, limit: number): Promise<EventRow[]> {
    const rows: EventRow[] = await this.database.query(
      'SELECT id, operator_id, account_id, type FROM events WHERE operator_id = ANY($1) AND id > $2 ORDER BY id DESC LIMIT $3',
      [operatorIds, after, limit],
    );
    return rows.reverse();
  }

  private tell({ response }: Stream, { id, type, account_id }: EventRow): void {
    if (response.writableLength > MAX_WAITING_BYTES) response.destroy();
    else response.write(`id: ${id}\ndata: ${JSON.stringify({ type, account_id })}\n\n`);
  }

  /** A sign of life for whatever stands between; and whoever is signed out by now is let go. */
  private async keepAlive(stream: Stream): Promise<void> {
    if (Date.now() - stream.checkedAt < HEARTBEAT_MS) return;
    stream.checkedAt = Date.now();
    try {
      await this.sessions.authenticate(stream.request);
      stream.response.write(': still here\n\n');
    } catch (error) {
      if (!(error instanceof Unauthorized)) throw error;
      this.streams.delete(stream);
      stream.response.end('event: signed-out\ndata: {}\n\n');
    }
  }

  private endAll(): void {
    for (const { response } of this.streams) response.end();
    this.streams.clear();
  }
}
