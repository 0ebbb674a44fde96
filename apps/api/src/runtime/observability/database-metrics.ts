import { Injectable, type OnModuleInit } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { poolUse } from '#database';
import { Metrics } from './metrics';

/** Shows how many connections to the database this process uses, and how many statements wait for one. */
@Injectable()
export class DatabaseMetrics implements OnModuleInit {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly metrics: Metrics,
  ) {}

  onModuleInit(): void {
    this.metrics.gauges('database_connections', 'Connections to the database.', ['state'], async () => {
      const { busy, idle } = poolUse(this.database);
      return [
        { labels: { state: 'busy' }, value: busy },
        { labels: { state: 'idle' }, value: idle },
      ];
    });
    this.metrics.gauge('database_waiting_statements', 'Statements that wait for a connection.', async () => poolUse(this.database).waiting);
  }
}
