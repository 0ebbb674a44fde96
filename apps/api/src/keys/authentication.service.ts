import { Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { hydrate, runPrepared } from '#database';
import { Clock } from '../runtime/clock';
import type { Caller } from '../http/caller';
import { Unauthorized } from '../http/domain.errors';
import { ApiKey } from './api-key.entity';
import { matches, prefixOf, secretIn } from './api-key-secret';

/** `last_used_at` is for people, who need no more than the minute. */
const USE_NOTED_EVERY_MS = 60_000;

/** Every request asks one of these, so they are prepared statements. */
const KEYS =
  'SELECT api_keys.*, ARRAY(SELECT account_id FROM api_key_accounts WHERE key_id = api_keys.id ORDER BY position) AS account_ids FROM api_keys';
const KEYS_BY_PREFIX = `${KEYS} WHERE prefix = $1`;
const KEY_BY_ID = `${KEYS} WHERE id = $1`;

/** A key with the accounts that it may use; null for all of its operator's. */
type KeyInUse = ApiKey & { accountIds: string[] | null };

/** Finds out who calls. Asks the database each time, so that a revocation counts at once in every process. */
@Injectable()
export class AuthenticationService {
  private readonly logger = new Logger(AuthenticationService.name);
  private readonly noting = new Set<string>();

  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly clock: Clock,
  ) {}

  async authenticate(authorization: string | undefined): Promise<Caller> {
    const caller = await this.identify(authorization);
    if (!caller) throw new Unauthorized();
    return caller;
  }

  /** Who an Authorization header belongs to, or undefined for nobody. */
  async identify(authorization: string | undefined): Promise<Caller | undefined> {
    const secret = secretIn(authorization);
    return secret === undefined ? undefined : this.use(await this.find(secret));
  }

  /** Who a key belongs to that was shown before and is only named now, or undefined when it has ended. */
  async identifyKey(id: string): Promise<Caller | undefined> {
    const [row] = await runPrepared(this.database, KEY_BY_ID, [id]);
    return this.use(row && this.toKey(row));
  }

  private async find(secret: string): Promise<KeyInUse | undefined> {
    const rows = await runPrepared(this.database, KEYS_BY_PREFIX, [prefixOf(secret)]);
    return rows.map((row) => this.toKey(row)).find((candidate) => matches(secret, candidate.hash));
  }

  /** The caller of a key that is in force. */
  private use(key: KeyInUse | undefined): Caller | undefined {
    if (!key || key.revokedAt !== null || (key.expiresAt !== null && key.expiresAt <= this.clock.now())) return undefined;
    this.noteUse(key);
    return { operatorId: key.operatorId, keyId: key.id, type: key.type, accountIds: key.accountIds };
  }

  private toKey(row: Record<string, unknown>): KeyInUse {
    const accountIds = Array.isArray(row.account_ids) ? row.account_ids.map(String) : [];
    const key = hydrate(this.database, ApiKey, row);
    return Object.assign(key, { accountIds: key.type === 'operator' ? null : accountIds });
  }

  /** Off the request's path: nobody waits for it, and a failure costs a minute of knowledge. */
  private noteUse(key: KeyInUse): void {
    const now = this.clock.now();
    if (this.noting.has(key.id) || (key.lastUsedAt && now.getTime() - key.lastUsedAt.getTime() < USE_NOTED_EVERY_MS)) return;
    this.noting.add(key.id);
    this.database.manager
      .update(ApiKey, { id: key.id }, { lastUsedAt: now })
      .catch((error: unknown) => this.logger.warn(`The use of ${key.id} was not noted: ${String(error)}`))
      .finally(() => this.noting.delete(key.id));
  }
}
