import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { Batcher } from '#batcher';
import { Outages } from '../../jobs/outages';
import { ContinuousJobsService } from '../../jobs/continuous/continuous-jobs.service';
import { untilAvailable } from '../../persistence/until-available';
import { withLogIds } from '../../runtime/observability/log-context';
import { inTraceOf } from '../../runtime/observability/tracing';
import { DeliveryQueue, type AttemptResult, type ClaimedDelivery } from './delivery-queue';
import { DeliverySender } from './delivery-sender';
import { FAN_OUT_BATCH, FanOut } from './fan-out';
import { ConcurrencyLimiter } from './concurrency-limiter';

/**
 * How often an idle worker polls for work: two cheap statements. With NOTIFY, PostgreSQL would commit all transactions that record an
 * event one after the other, and those are the ones that move money.
 */
const IDLE_POLL_MS = 200;
/** How long a busy worker waits, so that more work is done by one statement. */
const BUSY_POLL_MS = 5;
/** The pause after an error, most likely of the database. */
const ERROR_PAUSE_MS = 1_000;
/** Concurrent attempts of one process. A receiver that hangs holds two of them. */
const MAX_RUNNING = 1_000;

/** Fans out events and makes the attempts that are due, for as long as the worker runs. */
@Injectable()
export class DeliveryDispatcher implements OnModuleInit {
  private readonly logger = new Logger('Webhooks');
  private readonly outages = new Outages(this.logger);
  private readonly limiter = new ConcurrencyLimiter();
  private readonly running = new Set<string>();
  /** Claims of deliveries whose attempt was still running here, the latest claim of each. */
  private readonly claimedAgain = new Map<string, ClaimedDelivery>();
  /** The running attempts, which a shutdown waits for. */
  private readonly attempts = new Set<Promise<void>>();
  private readonly results = new Batcher<AttemptResult, void>(async (results) => {
    await untilAvailable(() => this.queue.record(results));
    return results.map(() => undefined);
  });
  private wake = (): void => undefined;

  constructor(
    private readonly jobs: ContinuousJobsService,
    private readonly fanOut: FanOut,
    private readonly queue: DeliveryQueue,
    private readonly sender: DeliverySender,
  ) {}

  onModuleInit(): void {
    this.jobs.register({ name: 'webhook-deliveries', run: (signal) => this.run(signal) });
  }

  /** Polls until the signal, then waits until the result of every running attempt is stored. */
  private async run(signal: AbortSignal): Promise<void> {
    signal.addEventListener('abort', () => this.wake());
    while (!signal.aborted) {
      const waitMs = await this.poll().catch((error: unknown) => {
        if (!this.outages.note(error))
          this.logger.error(`Webhook deliveries are paused: ${error instanceof Error ? error.stack : String(error)}`);
        return ERROR_PAUSE_MS;
      });
      if (!signal.aborted) await this.pause(waitMs);
    }
    await Promise.all(this.attempts);
  }

  /** Does what is due. Returns how long to wait before the next poll, in milliseconds. */
  private async poll(): Promise<number> {
    const events = await this.fanOut.run();
    const limit = MAX_RUNNING - this.limiter.running;
    const claimed =
      limit > 0 ? await this.queue.claim({ limit, available: this.limiter.available(), initial: ConcurrencyLimiter.initialLimit }) : [];
    this.outages.end('database');
    for (const delivery of claimed) this.start(delivery);
    return events === FAN_OUT_BATCH ? 0 : claimed.length > 0 ? BUSY_POLL_MS : IDLE_POLL_MS;
  }

  /** Waits until the time is over, or an attempt has ended. */
  private pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.wake = () => {
        clearTimeout(timer);
        setTimeout(resolve, Math.min(ms, BUSY_POLL_MS));
      };
    });
  }

  private start(delivery: ClaimedDelivery): void {
    // Its result is committed but not yet known here, or this process was suspended for longer than its lease.
    if (this.running.has(delivery.id)) return void this.claimedAgain.set(delivery.id, delivery);
    this.limiter.acquire(delivery.webhookId);
    this.running.add(delivery.id);
    const ids = { delivery_id: delivery.id, webhook_id: delivery.webhookId, event_id: delivery.event.id };
    const attempt = withLogIds(ids, () =>
      inTraceOf(delivery.event.traceparent, 'webhook delivery', { ...ids, 'event.type': delivery.event.type }, () =>
        this.attempt(delivery),
      ),
    ).then(() => this.end(delivery.id));
    this.attempts.add(attempt);
    void attempt.finally(() => this.attempts.delete(attempt));
  }

  /** Releases a claim that was made while the attempt was running, so that the next attempt does not wait for the lease to end. */
  private async end(id: string): Promise<void> {
    const again = this.claimedAgain.get(id);
    this.claimedAgain.delete(id);
    this.running.delete(id);
    if (again)
      await this.queue
        .release(again)
        .catch((error: unknown) => this.logger.warn(`The delivery ${id} waits for its lease to end: ${String(error)}`));
    this.wake();
  }

  private async attempt(delivery: ClaimedDelivery): Promise<void> {
    let result: AttemptResult | undefined;
    try {
      result = await this.sender.send(delivery);
      if (result) await this.results.add(result);
      else await this.queue.release(delivery);
    } catch (error) {
      // The delivery is claimed again when its lease ends.
      this.logger.error(`The delivery ${delivery.id} waits for its lease to end: ${error instanceof Error ? error.stack : String(error)}`);
    } finally {
      this.limiter.release(delivery.webhookId, result);
    }
  }
}
