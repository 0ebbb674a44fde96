/** Message authentication codes of API keys: a row that the service did not write authenticates no request. */
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { hydrate } from '#database';
import { RowMacs } from '../../secrets';
import { ApiKey } from './api-key.entity';

const BATCH = 500;
/** The code of a revoked key, which no key has: a writer of the database cannot take the revocation back. */
export const REVOKED_MAC = Buffer.alloc(0);

type Authenticated = Pick<ApiKey, 'id' | 'operatorId' | 'type' | 'hash' | 'expiresAt' | 'allowedHosts'>;

/** The accounts and fleets of a key, in the order of its request. */
interface Covered {
  accountIds: readonly string[];
  fleetIds: readonly string[];
}

@Injectable()
export class ApiKeyMacs implements OnModuleInit {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly macs: RowMacs,
  ) {}

  onModuleInit(): void {
    this.macs.register((options) => this.rewrite(options));
  }

  /** The code of a key: over all that decides what it may do, and how it is recognized. */
  of(key: Authenticated, covered: Covered): Buffer {
    return this.macs.of('api-key', factsOf(key, covered));
  }

  /** Whether the service wrote the key as it is. A database writer cannot make, widen or prolong one. */
  isGenuine(key: Authenticated & Pick<ApiKey, 'mac'>, covered: Covered): boolean {
    return this.macs.isGenuine('api-key', factsOf(key, covered), key.mac);
  }

  /**
   * Writes the code of every key under the present encryption key: of keys that are genuine under the previous one, and with
   * `areTrusted` of those without any code, from before there were codes. Returns how many were written.
   */
  async rewrite({ areTrusted = false } = {}): Promise<number> {
    let written = 0;
    let after = '';
    for (;;) {
      const rows: Record<string, unknown>[] = await this.database.query(
        `SELECT api_keys.*, ARRAY(SELECT account_id FROM api_key_accounts WHERE key_id = api_keys.id ORDER BY position) AS account_ids,
           ARRAY(SELECT fleet_id FROM api_key_fleets WHERE key_id = api_keys.id ORDER BY position) AS fleet_ids
         FROM api_keys WHERE id > $1 ORDER BY id LIMIT ${BATCH}`,
        [after],
      );
      for (const row of rows) {
        const key = hydrate(this.database, ApiKey, row);
        const covered = { accountIds: (row.account_ids as string[]).map(String), fleetIds: (row.fleet_ids as string[]).map(String) };
        const mac = this.macs.renewed('api-key', factsOf(key, covered), key.mac, areTrusted);
        after = key.id;
        if (!mac) continue;
        await this.database.query('UPDATE api_keys SET mac = $2 WHERE id = $1 AND mac IS NOT DISTINCT FROM $3', [key.id, mac, key.mac]);
        written++;
      }
      if (rows.length < BATCH) return written;
    }
  }
}

function factsOf({ id, operatorId, type, hash, expiresAt, allowedHosts }: Authenticated, { accountIds, fleetIds }: Covered): unknown[] {
  const optional = [...(allowedHosts === null ? [] : [allowedHosts]), ...(fleetIds.length === 0 ? [] : [{ fleetIds }])];
  return [id, operatorId, type, hash.toString('hex'), expiresAt?.toISOString() ?? null, accountIds, ...optional];
}
