import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The webhook of each attempt, so that the attempts of the last day are found without its deliveries. */
export class WebhookHealth0000000000024 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE webhook_delivery_attempts ADD COLUMN webhook_id text COLLATE "C"');
    await runner.query(
      'UPDATE webhook_delivery_attempts attempt SET webhook_id = delivery.webhook_id FROM webhook_deliveries delivery WHERE delivery.id = attempt.delivery_id',
    );
    await runner.query('ALTER TABLE webhook_delivery_attempts ALTER COLUMN webhook_id SET NOT NULL');
    await runner.query('CREATE INDEX webhook_delivery_attempts_of_webhook ON webhook_delivery_attempts (webhook_id, at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE webhook_delivery_attempts DROP COLUMN webhook_id');
  }
}
