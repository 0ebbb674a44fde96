/** What the service measures of itself, for Prometheus. Each feature registers its own; sums only, nothing of one operator's. */
import { Injectable } from '@nestjs/common';
import { Gauge, Registry, collectDefaultMetrics } from 'prom-client';

@Injectable()
export class Metrics {
  private readonly registry = new Registry();

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }

  /** A number that is read anew for each scrape; NaN while it cannot be. The name is in snake_case and ends with its unit. */
  gauge(name: string, help: string, read: () => Promise<number>): void {
    const collect = async (): Promise<void> => gauge.set(await read().catch(() => NaN));
    const gauge = new Gauge({ name, help, registers: [this.registry], collect });
  }

  /** In Prometheus's text format. */
  text(): Promise<string> {
    return this.registry.metrics();
  }
}
