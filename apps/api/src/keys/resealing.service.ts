import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { EncryptionService, type SealPurpose } from '../secrets';

/** Every column that holds sealed secrets: whoever adds one adds it here. */
const SEALED: { table: string; column: string; purpose: SealPurpose }[] = [
  { table: 'operators', column: 'chain_key_sealed', purpose: 'operator-chain-key' },
  { table: 'operators', column: 'pending_chain_key_sealed', purpose: 'operator-chain-key' },
  { table: 'accounts', column: 'authority_key_sealed', purpose: 'account-authority' },
  { table: 'accounts', column: 'pending_authority_key_sealed', purpose: 'account-authority' },
  { table: 'webhooks', column: 'secret_sealed', purpose: 'webhook-secret' },
  { table: 'webhooks', column: 'previous_secret_sealed', purpose: 'webhook-secret' },
  { table: 'sessions', column: 'voucher_key_sealed', purpose: 'session-voucher-key' },
  { table: 'payments', column: 'request_sealed', purpose: 'payment' },
  { table: 'payments', column: 'credential_sealed', purpose: 'payment' },
  { table: 'payments', column: 'delegate_key_sealed', purpose: 'charge-key' },
  { table: 'purses', column: 'delegate_key_sealed', purpose: 'purse-key' },
];
const BATCH = 200;
/** Keys that become current during a pass move from one column to another: so many passes find them all. */
const PASSES = 3;

/** Seals everything anew under the present keys, beside a running service and as often as you like. */
@Injectable()
export class ResealingService {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly encryption: EncryptionService,
  ) {}

  /** How many were sealed anew. @throws Error naming the first that neither key opens. */
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
        // Unless somebody put another secret there meanwhile.
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
