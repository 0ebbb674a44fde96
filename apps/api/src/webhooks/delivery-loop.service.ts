import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { Outages } from '../jobs/outages';
import { ContinuousJobsService } from '../jobs/continuous-jobs.service';
import { Batcher } from '../events';
import { DeliveryQueue, type AttemptResult, type ClaimedDelivery } from './delivery-queue';
import { DeliverySender } from './delivery-sender';
import { FAN_OUT_BATCH, FanOut } from './fan-out';
import { ConcurrencyLimiter } from './concurrency-limiter';

/**
 * How often an idle worker looks for something to do: two statements that read next to nothing. PostgreSQL could notify it,
 * but would then commit all transactions that record an event one after the other, and those are the ones that move money.
 */
const IDLE_MS = 200;
/** So long a busy worker waits for more to come together. */
const BUSY_MS = 5;
/** After an error, which is most likely the database's. */
const TROUBLED_MS = 1_000;
/** Attempts of one process that are under way at once. Hanging receivers hold two each. */
const MAX_UNDER_WAY = 1_000;

/** Fans events out and makes the attempts that are due, for as long as the worker runs. */
@Injectable()
export class DeliveryLoopService implements OnModuleInit {
  private readonly logger = new Logger('Webhooks');
  private readonly outages = new Outages(this.logger);
  private readonly lanes = new ConcurrencyLimiter();
  private readonly underWay = new Set<string>();
  /** Claims of deliveries that were still under way here, each the latest of its delivery. */
  private readonly claimedAgain = new Map<string, ClaimedDelivery>();
  /** Ends of attempts, which a shutdown waits for. */
  private readonly ends = new Set<Promise<void>>();
  private readonly results = new Batcher<AttemptResult, void>((results) => this.queue.record(results));
  private wake = (): void => undefined;

  constructor(
    private readonly loops: ContinuousJobsService,
    private readonly fanOut: FanOut,
    private readonly queue: DeliveryQueue,
    private readonly sender: DeliverySender,
  ) {}

  onModuleInit(): void {
    this.loops.register({ name: 'webhook-deliveries', run: (signal) => this.run(signal) });
  }

  /** Ends when the signal says so and what came of every attempt under way is written down. */
  private async run(signal: AbortSignal): Promise<void> {
    signal.addEventListener('abort', () => this.wake());
    while (!signal.aborted) {
      const waitMs = await this.turn().catch((error: unknown) => {
        if (!this.outages.note(error)) this.logger.error(`Webhooks wait: ${error instanceof Error ? error.stack : String(error)}`);
        return TROUBLED_MS;
      });
      if (!signal.aborted) await this.rest(waitMs);
    }
    await Promise.all(this.ends);
  }

  /** One look at what is to be done. How long to wait before the next. */
  private async turn(): Promise<number> {
    const events = await this.fanOut.run();
    const limit = MAX_UNDER_WAY - this.lanes.underWay;
    const claimed = limit > 0 ? await this.queue.claim({ limit, room: this.lanes.room(), width: ConcurrencyLimiter.firstWidth }) : [];
    this.outages.end('database');
    for (const delivery of claimed) this.start(delivery);
    return events === FAN_OUT_BATCH ? 0 : claimed.length > 0 ? BUSY_MS : IDLE_MS;
  }

  /** Until the time is over, or a lane has room again. */
  private rest(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.wake = () => {
        clearTimeout(timer);
        setTimeout(resolve, Math.min(ms, BUSY_MS));
      };
    });
  }

  private start(delivery: ClaimedDelivery): void {
    // Its result is committed but not yet known here, or this process was suspended for longer than its lease.
    if (this.underWay.has(delivery.id)) return void this.claimedAgain.set(delivery.id, delivery);
    this.lanes.enter(delivery.webhookId);
    this.underWay.add(delivery.id);
    const end = this.attempt(delivery).then(() => this.end(delivery.id));
    this.ends.add(end);
    void end.finally(() => this.ends.delete(end));
  }

  /** Releases a claim that was made while the attempt was under way, so that the next attempt need not wait for the lease to end. */
  private async end(id: string): Promise<void> {
    const again = this.claimedAgain.get(id);
    this.claimedAgain.delete(id);
    this.underWay.delete(id);
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
      // The lease ends, and then it is tried again.
      this.logger.error(`The delivery ${delivery.id} is left for later: ${error instanceof Error ? error.stack : String(error)}`);
    } finally {
      this.lanes.leave(delivery.webhookId, result);
    }
  }
}
