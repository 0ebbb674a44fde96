import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { execute, sql } from '#database';
import { EncryptionService } from '../secrets';
import { newVapidKey, vapidKeyOf, type VapidKey } from './sending/vapid';

const ID = 'vapid';

/** The service's key for push services. It is made when a browser first asks for it, and stays: a new one would end all subscriptions. */
@Injectable()
export class PushKeysService {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly encryption: EncryptionService,
  ) {}

  async key(): Promise<VapidKey> {
    const stored = await this.stored();
    if (stored) return stored;
    const { publicKey, pkcs8 } = newVapidKey();
    const sealed = this.encryption.seal('push-key', ID, pkcs8);
    // Another process may have stored its key meanwhile: that one counts.
    await execute(
      this.database,
      sql`INSERT INTO push_keys (id, public_key, private_key_sealed) VALUES (${ID}, ${publicKey}, ${sealed}) ON CONFLICT DO NOTHING`,
    );
    const key = await this.stored();
    if (!key) throw new Error('The key for push services was not stored.');
    return key;
  }

  private async stored(): Promise<VapidKey | undefined> {
    const [row] = await execute(this.database, sql`SELECT public_key, private_key_sealed FROM push_keys WHERE id = ${ID}`);
    return row && vapidKeyOf(String(row.public_key), this.encryption.unseal('push-key', ID, String(row.private_key_sealed)));
  }
}
