import { Injectable, type OnModuleInit } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Metrics, shared } from '../../runtime/observability/metrics';

/** Shows how many deliveries are overdue, and by how long. Those that wait for a retry are not among them. */
@Injectable()
export class WaitingDeliveriesMetrics implements OnModuleInit {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly metrics: Metrics,
  ) {}

  onModuleInit(): void {
    const read = shared(() => this.read());
    this.metrics.gauge('webhook_deliveries_overdue', 'Deliveries whose next attempt is due.', async () => (await read()).count);
    this.metrics.gauge(
      'webhook_deliveries_overdue_seconds',
      'By how long the next attempt of a delivery is overdue, at most.',
      async () => (await read()).oldest,
    );
  }

  private async read(): Promise<{ count: number; oldest: number }> {
    const [row = { count: 0, oldest: 0 }]: { count: number; oldest: number }[] = await this.database.query(
      `SELECT count(*)::int AS count, COALESCE(extract(epoch FROM now() - min(next_attempt_at)), 0)::float AS oldest
       FROM webhook_deliveries JOIN webhooks ON webhooks.id = webhook_id
       WHERE webhook_deliveries.status = 'pending' AND next_attempt_at <= now() AND webhooks.status = 'active'`,
    );
    return row;
  }
}
