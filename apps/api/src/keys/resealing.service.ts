import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { StartError } from '../runtime/config-loader';
import { EncryptionService, RowMacs, type SealPurpose } from '../secrets';
import { messageOf } from '../runtime/observability/message-of';

/** Every column with sealed secrets. Add a new one here. */
const SEALED: { table: string; column: string; purpose: SealPurpose }[] = [
  { table: 'operators', column: 'chain_key_sealed', purpose: 'operator-chain-key' },
  { table: 'operators', column: 'pending_chain_key_sealed', purpose: 'operator-chain-key' },
  { table: 'accounts', column: 'authority_key_sealed', purpose: 'account-authority' },
  { table: 'accounts', column: 'pending_authority_key_sealed', purpose: 'account-authority' },
  { table: 'webhooks', column: 'url_sealed', purpose: 'webhook-url' },
  { table: 'webhooks', column: 'secret_sealed', purpose: 'webhook-secret' },
  { table: 'webhooks', column: 'previous_secret_sealed', purpose: 'webhook-secret' },
  { table: 'push_keys', column: 'private_key_sealed', purpose: 'push-key' },
  { table: 'sessions', column: 'voucher_key_sealed', purpose: 'session-voucher-key' },
  { table: 'payments', column: 'request_sealed', purpose: 'payment' },
  { table: 'payments', column: 'credential_sealed', purpose: 'payment' },
  { table: 'payments', column: 'response_sealed', purpose: 'payment-answer' },
  { table: 'payments', column: 'request_evidence_sealed', purpose: 'payment-evidence' },
  { table: 'payments', column: 'demand_evidence_sealed', purpose: 'payment-evidence' },
  { table: 'payments', column: 'answer_evidence_sealed', purpose: 'payment-evidence' },
  { table: 'payments', column: 'delegate_key_sealed', purpose: 'charge-key' },
  { table: 'purses', column: 'delegate_key_sealed', purpose: 'purse-key' },
];
/** The columns whose newest secret a start decrypts: of tables that have rows as soon as there is something to lose. */
const CHECKED_AT_START = ['chain_key_sealed', 'authority_key_sealed', 'secret_sealed', 'private_key_sealed'];
const BATCH = 200;
/** A key that becomes current during a pass moves to another column, so that a further pass is needed to find it. */
const PASSES = 3;

/** Re-encrypts all secrets under the present keys. Safe beside a running service, and idempotent. */
@Injectable()
export class ResealingService {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly encryption: EncryptionService,
    private readonly macs: RowMacs,
  ) {}

  /**
   * Returns the number of secrets that were re-encrypted, and of rows whose code was written again. @throws Error with the id of the first
   * one that neither key decrypts.
   */
  async resealAll(): Promise<number> {
    let resealed = 0;
    for (let pass = 0; pass < PASSES; pass++) {
      const before = resealed;
      for (const place of SEALED) resealed += await this.resealColumn(place);
      if (resealed === before) break;
    }
    // Last: with a wrong key no row seems genuine, and a secret says so first.
    return resealed + (await this.macs.rewrite());
  }

  /**
   * Checks that the present or the previous keys decrypt what is stored, by the newest secret of each kind. With a wrong key the service
   * would start, and encrypt the keys of new accounts so that they are lost with it. @throws StartError
   */
  async requireKeys(): Promise<void> {
    for (const { table, column, purpose } of SEALED.filter((one) => CHECKED_AT_START.includes(one.column))) {
      const [newest]: { id: string; sealed: string }[] = await this.database.query(
        `SELECT id, ${column} AS sealed FROM ${table} WHERE ${column} IS NOT NULL ORDER BY id DESC LIMIT 1`,
      );
      if (!newest) continue;
      try {
        this.encryption.unseal(purpose, newest.id, newest.sealed);
      } catch (error) {
        throw new StartError(`${this.encryption.settingOf(purpose)} does not fit this database. ${messageOf(error)}`);
      }
    }
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
