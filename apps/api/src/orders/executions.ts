import { setTimeout } from 'node:timers/promises';
import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { Config } from '../runtime/config';
import { OrderStore } from './order.store';
import { OrderProcessor, type Judged } from './order.processor';
import type { Order } from './order.entity';

/** How often in the length of a lease what this process works on is kept for it. */
const RENEWALS_PER_LEASE = 3;
/** How often a transfer that another process works on is looked at. */
const LOOK_EVERY_MS = 100;

/** The transfers that this process is at work on, each once; whoever asks for the same waits for the same outcome. */
@Injectable()
export class Executions implements OnModuleInit, OnModuleDestroy {
  private readonly logger = new Logger('Transfers');
  private renewal: NodeJS.Timeout | undefined;
  private readonly running = new Map<string, Promise<Order>>();

  constructor(
    private readonly config: Config,
    private readonly settlement: OrderProcessor,
    private readonly store: OrderStore,
  ) {}

  onModuleInit(): void {
    this.renewal = setInterval(() => void this.renew(), this.config.LEASE_MS / RENEWALS_PER_LEASE).unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.renewal);
  }

  /** Runs a transfer whose lease the caller holds, for at most `waitMs`; what is left then is the recovery's. */
  run(transfer: Order, waitMs: number, known?: Judged): Promise<Order> {
    const execution = this.execute(transfer, performance.now() + waitMs, known);
    this.running.set(transfer.id, execution);
    const forget = () => this.running.delete(transfer.id);
    execution.then(forget, forget);
    return execution;
  }

  /** The outcome of a transfer that somebody is at work on, or as it stands after `waitMs`. */
  async outcome(transfer: Order, waitMs: number): Promise<Order> {
    const deadline = performance.now() + waitMs;
    let current = transfer;
    while (current.status === 'created' || current.status === 'submitted') {
      const here = this.running.get(transfer.id);
      if (here) return this.within(deadline - performance.now(), here, transfer.id);
      if (performance.now() > deadline) break;
      await setTimeout(LOOK_EVERY_MS);
      current = await this.store.find(transfer.id);
    }
    return current;
  }

  /** What is at work here may wait longer than who joins it wants to. */
  private async within(waitMs: number, execution: Promise<Order>, id: string): Promise<Order> {
    const timer = new AbortController();
    const late = setTimeout(Math.max(0, waitMs), undefined, { signal: timer.signal }).then(() => this.store.find(id));
    try {
      return await Promise.race([execution, late]);
    } finally {
      timer.abort();
    }
  }

  private async execute(transfer: Order, deadline: number, known?: Judged): Promise<Order> {
    let isFinished = false;
    try {
      const outcome = await this.settlement.run(transfer, deadline, known);
      isFinished = outcome.status !== 'created' && outcome.status !== 'submitted';
      return outcome;
    } finally {
      if (!isFinished) await this.store.release(transfer.id);
    }
  }

  private async renew(): Promise<void> {
    if (this.running.size === 0) return;
    // Without it another process may take up the same: twice the work, and still one payment.
    await this.store
      .renewLeases([...this.running.keys()])
      .catch((error: unknown) => this.logger.warn(`Leases were not renewed: ${String(error)}`));
  }
}
