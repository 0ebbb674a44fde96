import { Injectable, type OnModuleInit } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { firstIdAt } from '#database';
import { Clock } from '../runtime/clock';
import { JobsService } from '../jobs/jobs.service';
import { EVENT_RETENTION_MS } from '../events';

const EVERY_MS = 60_000;
/** Rows that one statement deletes, and statements of one run. The next run deletes what is left. */
const BATCH = 150;
const MAX_BATCHES = 1_300;

/** Deletes events that are too old to be shown, and the rows of deleted webhooks. */
@Injectable()
export class RetentionService implements OnModuleInit {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly clock: Clock,
    private readonly jobs: JobsService,
  ) {}

  onModuleInit(): void {
    this.jobs.register({ name: 'event-retention', everyMs: EVERY_MS, run: () => this.run() });
  }

  /** Deletes what is due, up to the bound of one run. */
  async run(): Promise<void> {
    const oldest = new Date(this.clock.now().getTime() - EVENT_RETENTION_MS);
    // An event stays while it is being delivered to an active webhook.
    await this.deleteAll(
      `DELETE FROM events WHERE id IN (
         SELECT id FROM events old WHERE id < $1 AND created_at < $2 AND NOT EXISTS (SELECT 1 FROM events_to_fan_out WHERE event_id = old.id)
           AND NOT EXISTS (
           SELECT 1 FROM webhook_deliveries JOIN webhooks ON webhooks.id = webhook_id
           WHERE event_id = old.id AND webhook_deliveries.status = 'pending' AND webhooks.status = 'active')
         ORDER BY id LIMIT ${BATCH})`,
      [firstIdAt('evt', oldest), oldest],
    );
    await this.deleteAll(
      `DELETE FROM webhook_deliveries WHERE id IN (SELECT id FROM webhook_deliveries
          WHERE webhook_id IN (SELECT id FROM webhooks WHERE status = 'deleted') LIMIT ${BATCH})`,
      [],
    );
    await this.deleteAll(
      `DELETE FROM webhooks WHERE id IN (
         SELECT id FROM webhooks deleted WHERE status = 'deleted'
           AND NOT EXISTS (SELECT 1 FROM webhook_deliveries WHERE webhook_id = deleted.id)
           AND NOT EXISTS (SELECT 1 FROM events WHERE webhook_id = deleted.id)
         LIMIT ${BATCH})`,
      [],
    );
  }

  private async deleteAll(statement: string, values: unknown[]): Promise<void> {
    for (let batch = 0; batch < MAX_BATCHES; batch++) {
      const [, deleted]: [unknown, number] = await this.database.query(statement, values);
      if (deleted < BATCH) return;
    }
  }
}
