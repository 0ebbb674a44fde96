import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { EncryptionService } from '../../secrets';

/** The sealed fields of webhooks: URLs, which may have a token, and secrets. */
@Injectable()
export class WebhookSeals implements OnApplicationBootstrap {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly encryption: EncryptionService,
  ) {}

  onApplicationBootstrap(): Promise<void> {
    return this.sealUrls();
  }

  sealUrl(id: string, url: string): string {
    return this.encryption.seal('webhook-url', id, Buffer.from(url));
  }

  /** The URL of the webhook `id`. */
  urlOf({ id, urlSealed }: { id: string; urlSealed: string }): string {
    return this.encryption.unseal('webhook-url', id, urlSealed).toString();
  }

  sealSecret(id: string, secret: string): string {
    return this.encryption.seal('webhook-secret', id, Buffer.from(secret));
  }

  /** The secret of the webhook `id`. */
  secretOf(id: string, sealed: string): string {
    return this.encryption.unseal('webhook-secret', id, sealed).toString();
  }

  /** Seals the URLs that are stored in clear, by an earlier version of the service. */
  private async sealUrls(): Promise<void> {
    const rows: { id: string; url: string }[] = await this.database.query('SELECT id, url FROM webhooks WHERE url IS NOT NULL');
    for (const { id, url } of rows)
      await this.database.query('UPDATE webhooks SET url_sealed = $2, url = NULL WHERE id = $1 AND url = $3', [
        id,
        this.sealUrl(id, url),
        url,
      ]);
  }
}
