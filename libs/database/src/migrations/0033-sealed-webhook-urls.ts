import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Encrypted URLs of webhooks, which may carry tokens. The service encrypts those from before at its start. */
export class SealedWebhookUrls0000000000033 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE webhooks ALTER COLUMN url DROP NOT NULL, ADD COLUMN url_sealed text');
    await runner.query('ALTER TABLE webhooks ADD CONSTRAINT webhooks_url CHECK ((url IS NULL) <> (url_sealed IS NULL))');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE webhooks DROP CONSTRAINT webhooks_url, DROP COLUMN url_sealed');
    await runner.query(`UPDATE webhooks SET url = '' WHERE url IS NULL`);
    await runner.query('ALTER TABLE webhooks ALTER COLUMN url SET NOT NULL');
  }
}
