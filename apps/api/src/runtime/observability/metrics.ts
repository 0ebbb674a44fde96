/** Metrics for Prometheus. Each feature registers its own: sums over all operators, never a number of one operator. */
import { Injectable } from '@nestjs/common';
import { Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';

/** One number of a gauge with labels. */
export interface Measured<Label extends string> {
  labels: Record<Label, string>;
  value: number;
}

/** In seconds: from a cached answer to the longest wait of a request. */
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** A read that calls share which begin while it is under way, as those of several gauges at one scrape. */
export function shared<T>(read: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  return () =>
    (running ??= read().finally(() => {
      running = undefined;
    }));
}

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

  /** Registers numbers that are read together at each scrape, one for each combination of labels; none while `read` fails. Labels are bounded. */
  gauges<Label extends string>(name: string, help: string, labelNames: Label[], read: () => Promise<Measured<Label>[]>): void {
    const collect = async (): Promise<void> => {
      const all = await read().catch(() => []);
      gauge.reset();
      for (const { labels, value } of all) gauge.set(labels, value);
    };
    const gauge = new Gauge<Label>({ name, help, labelNames, registers: [this.registry], collect });
  }

  /** Registers a distribution of durations. Returns what notes one, in milliseconds. Labels are bounded. */
  durations<Label extends string>(name: string, help: string, labelNames: Label[]): (labels: Record<Label, string>, ms: number) => void {
    const histogram = new Histogram<Label>({ name, help, labelNames, buckets: SECONDS, registers: [this.registry] });
    return (labels, ms) => histogram.observe(labels, ms / 1_000);
  }

  /** In Prometheus's text format. */
  text(): Promise<string> {
    return this.registry.metrics();
  }
}
