import { Injectable, type OnModuleInit } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Metrics, shared } from '../../runtime/observability/metrics';

interface OpenOrders {
  kind: string;
  status: string;
  count: number;
  /** The age of the oldest, in seconds. */
  oldest: number;
}

/** Shows how many orders have not ended, and how long the oldest has waited. What waits for an approval is not among them. */
@Injectable()
export class OpenOrdersMetrics implements OnModuleInit {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly metrics: Metrics,
  ) {}

  onModuleInit(): void {
    const read = shared(() => this.read());
    const measured = async (number: 'count' | 'oldest') =>
      (await read()).map(({ kind, status, ...numbers }) => ({ labels: { kind, status }, value: numbers[number] }));
    this.metrics.gauges('orders_open', 'Orders under way.', ['kind', 'status'], () => measured('count'));
    this.metrics.gauges('orders_open_oldest_seconds', 'The age of the oldest order under way.', ['kind', 'status'], () =>
      measured('oldest'),
    );
  }

  private read(): Promise<OpenOrders[]> {
    return this.database.query(
      `SELECT kind, status, count(*)::int AS count, extract(epoch FROM now() - min(created_at))::float AS oldest
       FROM orders WHERE status IN ('created', 'submitted') GROUP BY kind, status`,
    );
  }
}
