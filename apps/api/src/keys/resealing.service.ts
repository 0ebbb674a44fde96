import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { EncryptionService, type SealPurpose } from '../secrets';

/** Every column with sealed secrets. Add a new one here. */
const SEALED: { table: string; column: string; purpose: SealPurpose }[] = [
  { table: 'operators', column: 'chain_key_sealed', purpose: 'operator-chain-key' },
  { table: 'operators', column: 'pending_chain_key_sealed', purpose: 'operator-chain-key' },
  { table: 'accounts', column: 'authority_key_sealed', purpose: 'account-authority' },
  { table: 'accounts', column: 'pending_authority_key_sealed', purpose: 'account-authority' },
  { table: 'webhooks', column: 'secret_sealed', purpose: 'webhook-secret' },
  { table: 'webhooks', column: 'previous_secret_sealed', purpose: 'webhook-secret' },
  { table: 'push_keys', column: 'private_key_sealed', purpose: 'push-key' },
  { table: 'sessions', column: 'voucher_key_sealed', purpose: 'session-voucher-key' },
  { table: 'payments', column: 'request_sealed', purpose: 'payment' },
  { table: 'payments', column: 'credential_sealed', purpose: 'payment' },
  { table: 'payments', column: 'delegate_key_sealed', purpose: 'charge-key' },
  { table: 'purses', column: 'delegate_key_sealed', purpose: 'purse-key' },
];
const BATCH = 200;
/** A key that becomes current during a pass moves to another column, so that a further pass is needed to find it. */
const PASSES = 3;

/** Re-encrypts all secrets under the present keys. Safe beside a running service, and idempotent. */
@Injectable()
export class ResealingService {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly encryption: EncryptionService,
  ) {}

  /** Returns the number of secrets that were re-encrypted. @throws Error with the id of the first one that neither key decrypts. */
  async resealAll(): Promise<number> {
    let resealed = 0;
    for (let pass = 0; pass < PASSES; pass++) {
      const before = resealed;
      for (const place of SEALED) resealed += await this.resealColumn(place);
      if (resealed === before) break;
    }
    return resealed;
  }

  private async resealColumn({ table, column, purpose }: (typeof SEALED)[number]): Promise<number> {
    let resealed = 0;
    let after = '';
    for (;;) {
      const rows: { id: string; sealed: string }[] = await this.database.query(
        `SELECT id, ${column} AS sealed FROM ${table} WHERE id > $1 AND NOT starts_with(${column}, $2) ORDER BY id LIMIT ${BATCH}`,
        [after, this.encryption.presentPrefix(purpose)],
      );
      for (const { id, sealed } of rows) {
        const resealedValue = this.encryption.seal(purpose, id, this.encryption.unseal(purpose, id, sealed));
        // Unless another secret was stored there meanwhile.
        const [, count]: [unknown, number] = await this.database.query(
          `UPDATE ${table} SET ${column} = $2 WHERE id = $1 AND ${column} = $3`,
          [id, resealedValue, sealed],
        );
        resealed += count;
      }
      after = rows.at(-1)?.id ?? after;
      if (rows.length < BATCH) return resealed;
    }
  }
}
