import type { Server } from 'node:http';
import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Request, Response } from 'express';
import { firstIdAt, isId } from '#database';
import { type Event, EventsService } from '../../events';
import { Clock } from '../../runtime/clock';
import { Unauthorized } from '../../http/domain.errors';
import { RateLimited } from '../../http/limits/rate-limit';
import { BrowserSessionsService } from '../../keys';

const POLL_MS = 1_000;
/**
 * How far back each poll reads: an event's id has the time at which it was made, and it may commit later, or come from a machine whose
 * clock is behind.
 */
const LOOK_BACK_MS = 10_000;
const HEARTBEAT_MS = 15_000;
/** How soon a page reconnects when its stream ends. */
const RECONNECT_MS = 2_000;
const MAX_EVENTS = 1_000;
const MAX_MISSED = 100;
const MAX_STREAMS = 500;
const MAX_STREAMS_PER_OPERATOR = 20;
/** The connection of a page that does not read is closed when this much is buffered for it. */
const MAX_BUFFERED_BYTES = 64 * 1024;

interface Stream {
  operatorId: string;
  request: Request;
  response: Response;
  checkedAt: number;
}

/**
 * Server-sent events that notify pages of changes. Polls the database once a second while a page is connected. The page then reads the
 * API.
 */
@Injectable()
export class DashboardEventsService implements OnModuleDestroy {
  private readonly logger = new Logger(DashboardEventsService.name);
  private readonly streams = new Set<Stream>();
  /** The ids of events that were sent or happened before a page was connected, as long as a poll may read them again. */
  private readonly seen = new Set<string>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly events: EventsService,
    private readonly clock: Clock,
    private readonly sessions: BrowserSessionsService,
    private readonly adapter: HttpAdapterHost,
  ) {}

  /** Keeps the response open. Sends the operator's events since `Last-Event-ID`, and each new one. @throws Unauthorized, RateLimited */
  async listen(request: Request, response: Response): Promise<void> {
    const { caller } = await this.sessions.authenticate(request);
    this.requireBelowLimit(caller.operatorId);
    const stream: Stream = { operatorId: caller.operatorId, request, response, checkedAt: Date.now() };
    this.streams.add(stream);
    response.on('close', () => this.streams.delete(stream));
    response
      .status(200)
      .set({ 'Content-Type': 'text/event-stream; charset=utf-8', 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' });
    response.write(`retry: ${RECONNECT_MS}\n\n`);
    for (const event of await this.missed(caller.operatorId, request.get('Last-Event-ID'))) this.send(stream, event);
    this.timer ??= setTimeout(() => void this.tick(), POLL_MS);
  }

  onModuleDestroy(): void {
    clearTimeout(this.timer);
    this.endAll();
  }

  private requireBelowLimit(operatorId: string): void {
    const own = [...this.streams].filter((stream) => stream.operatorId === operatorId).length;
    if (own < MAX_STREAMS_PER_OPERATOR && this.streams.size < MAX_STREAMS) return;
    const quota = { name: 'pages', limit: MAX_STREAMS_PER_OPERATOR, remaining: 0, resetSeconds: 30 };
    throw new RateLimited('Too many pages are open: close some.', quota);
  }

  private async tick(): Promise<void> {
    try {
      // A stopping server waits until its responses end, and these would never end.
      const server: Server = this.adapter.httpAdapter.getHttpServer();
      if (!server.listening) this.endAll();
      if (this.streams.size > 0) await this.sendNew();
      await Promise.all([...this.streams].map((stream) => this.keepAlive(stream)));
    } catch (error) {
      this.logger.warn(`Pages were not notified of changes; the next poll is in a second: ${String(error)}`);
    }
    this.timer = this.streams.size > 0 ? setTimeout(() => void this.tick(), POLL_MS) : undefined;
  }

  private async sendNew(): Promise<void> {
    const since = firstIdAt('evt', new Date(this.clock.now().getTime() - LOOK_BACK_MS));
    const operatorIds = [...new Set([...this.streams].map(({ operatorId }) => operatorId))];
    const recent = await this.events.after(operatorIds, since, MAX_EVENTS);
    const unseen = recent.filter(({ id }) => !this.seen.has(id));
    for (const id of this.seen) if (id < since) this.seen.delete(id);
    for (const { id } of unseen) this.seen.add(id);
    for (const event of unseen) {
      for (const stream of this.streams) if (stream.operatorId === event.operatorId) this.send(stream, event);
    }
  }

  private async missed(operatorId: string, lastId: string | undefined): Promise<Event[]> {
    return lastId !== undefined && isId('evt', lastId) ? this.events.after([operatorId], lastId, MAX_MISSED) : [];
  }

  private send({ response }: Stream, { id, type, accountId }: Event): void {
    if (response.writableLength > MAX_BUFFERED_BYTES) response.destroy();
    else response.write(`id: ${id}\ndata: ${JSON.stringify({ type, account_id: accountId })}\n\n`);
  }

  /** Sends a heartbeat for proxies, and ends the stream of a session that has ended. */
  private async keepAlive(stream: Stream): Promise<void> {
    if (Date.now() - stream.checkedAt < HEARTBEAT_MS) return;
    stream.checkedAt = Date.now();
    try {
      await this.sessions.authenticate(stream.request, { isUse: false });
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
