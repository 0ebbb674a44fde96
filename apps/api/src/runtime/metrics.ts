/** Metrics for Prometheus. Each feature registers its own: sums over all operators, never a number of one operator. */
import { Injectable } from '@nestjs/common';
import { Gauge, Registry, collectDefaultMetrics } from 'prom-client';

@Injectable()
export class Metrics {
  private readonly registry = new Registry();

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }

  /** Registers a number that is read at each scrape, and is NaN while `read` fails. The name is in snake_case and ends with its unit. */
  gauge(name: string, help: string, read: () => Promise<number>): void {
    const collect = async (): Promise<void> => gauge.set(await read().catch(() => NaN));
    const gauge = new Gauge({ name, help, registers: [this.registry], collect });
  }

  /** In Prometheus's text format. */
  text(): Promise<string> {
    return this.registry.metrics();
  }
}
