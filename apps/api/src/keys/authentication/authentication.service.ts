import { Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { hydrate, runPrepared, SharedStatements } from '#database';
import { Clock } from '../../runtime/clock';
import type { KeyHolder } from '../../http/caller';
import { ApiKey } from '../api-keys/api-key.entity';
import { ApiKeyMacs } from '../api-keys/api-key-macs';
import { membersOf } from '../api-keys/owned-accounts';
import { defectOf, isCut, matches, prefixOf, secretIn } from '../api-keys/api-key-secret';

/** How often `last_used_at` is updated. It is for people, who need it by the minute. */
const NOTE_USE_EVERY_MS = 60_000;
/** A proxy's header may hold any text in place of an address. */
const MAX_IP_CHARACTERS = 64;
/** How often the address of a use is noted, with `last_used_at`. */
const NOTE_ADDRESS_EVERY_MS = 60 * 60_000;

/** Every request runs one of these as a prepared statement. */
const KEYS =
  'SELECT api_keys.*, ARRAY(SELECT account_id FROM api_key_accounts WHERE key_id = api_keys.id ORDER BY position) AS account_ids, ' +
  'ARRAY(SELECT fleet_id FROM api_key_fleets WHERE key_id = api_keys.id ORDER BY position) AS fleet_ids FROM api_keys';
const KEYS_BY_PREFIX = `${KEYS} WHERE prefix = $1`;
const KEY_BY_ID = `${KEYS} WHERE id = $1`;

const CUT_KEY = 'This API key is shorter than a key of this service: it was cut. Copy it again as a whole.';
const UNKNOWN_KEY = 'This service does not have this API key: it may be one of another service or sandbox.';

/** A key with the accounts that it may use, null for all accounts of its operator, and the fleets whose members it may use. */
type KeyWithAccounts = ApiKey & { accountIds: string[] | null; fleetIds: string[] };

/** Authenticates API keys. Reads the database each time, so that a revocation takes effect at once in every process. */
@Injectable()
export class AuthenticationService {
  private readonly logger = new Logger(AuthenticationService.name);
  private readonly noting = new Set<string>();
  private readonly lookups: SharedStatements;

  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly clock: Clock,
    private readonly macs: ApiKeyMacs,
  ) {
    this.lookups = new SharedStatements(database);
  }

  /** The caller of an Authorization header, or undefined if it has no valid key. `ip`: the address that the request came from. */
  async identify(authorization: string | undefined, ip: string | null): Promise<KeyHolder | undefined> {
    const secret = secretIn(authorization);
    return secret === undefined ? undefined : this.callerOf(await this.find(secret), ip);
  }

  /** The reason for which a header has no valid key. It tells a revoked key from an unknown one only to the holder of the whole key. */
  async refusal(authorization: string | undefined): Promise<string> {
    const defect = defectOf(authorization);
    const secret = secretIn(authorization);
    if (defect !== undefined || secret === undefined) return defect ?? UNKNOWN_KEY;
    const key = await this.find(secret);
    if (key?.revokedAt) return 'This API key was revoked.';
    if (key?.expiresAt && key.expiresAt <= this.clock.now()) return `This API key expired at ${key.expiresAt.toISOString()}.`;
    return isCut(secret) ? CUT_KEY : UNKNOWN_KEY;
  }

  /**
   * The caller of a key by its id, or undefined if the key is revoked or expired. For sessions that were started with the key. `ip`: the
   * address that the session's request came from; null for work without a request.
   */
  async identifyKey(id: string, ip: string | null): Promise<KeyHolder | undefined> {
    const [row] = await runPrepared(this.database, KEY_BY_ID, [id]);
    return this.callerOf(row && this.toKey(row), ip);
  }

  private async find(secret: string): Promise<KeyWithAccounts | undefined> {
    const rows = await this.lookups.execute({ text: KEYS_BY_PREFIX, values: [prefixOf(secret)] });
    return rows.map((row) => this.toKey(row)).find((candidate) => matches(secret, candidate.hash));
  }

  /** The caller of a key, or undefined if it is revoked or expired. */
  private async callerOf(key: KeyWithAccounts | undefined, ip: string | null): Promise<KeyHolder | undefined> {
    if (!key || key.revokedAt !== null || (key.expiresAt !== null && key.expiresAt <= this.clock.now())) return undefined;
    const { operatorId, id: keyId, type, accountIds, fleetIds, allowedHosts } = key;
    if (!this.macs.isGenuine(key, { accountIds: accountIds ?? [], fleetIds })) return undefined;
    this.noteUse(key, ip);
    const members = await membersOf(this.database, operatorId, fleetIds);
    const covered = accountIds && [...new Set([...accountIds, ...members])];
    return { operatorId, keyId, type, accountIds: covered, allowedHosts };
  }

  private toKey(row: Record<string, unknown>): KeyWithAccounts {
    const accountIds = Array.isArray(row.account_ids) ? row.account_ids.map(String) : [];
    const key = hydrate(this.database, ApiKey, row);
    const fleetIds = Array.isArray(row.fleet_ids) ? row.fleet_ids.map(String) : [];
    return Object.assign(key, { accountIds: key.type === 'operator' ? null : accountIds, fleetIds });
  }

  /** Updates `last_used_at`, and once an hour the address, in the background. A failure is logged, and the next use updates it. */
  private noteUse(key: KeyWithAccounts, ip: string | null): void {
    const now = this.clock.now();
    if (this.noting.has(key.id) || (key.lastUsedAt && now.getTime() - key.lastUsedAt.getTime() < NOTE_USE_EVERY_MS)) return;
    this.noting.add(key.id);
    const notesAddress = ip !== null && now.getTime() - (key.lastUsedIpAt?.getTime() ?? 0) >= NOTE_ADDRESS_EVERY_MS;
    this.database.manager
      .update(
        ApiKey,
        { id: key.id },
        { lastUsedAt: now, ...(notesAddress && { lastUsedIp: ip.slice(0, MAX_IP_CHARACTERS), lastUsedIpAt: now }) },
      )
      .catch((error: unknown) => this.logger.warn(`The use of ${key.id} was not noted: ${String(error)}`))
      .finally(() => this.noting.delete(key.id));
  }
}
