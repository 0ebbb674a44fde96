import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, IsNull, MoreThan, Not, type EntityManager } from 'typeorm';
import { isId, newId } from '#database';
import { Clock } from '../../runtime/clock';
import { AuditLog, type Actor } from '../../audit';
import type { Caller } from '../../http/caller';
import { Conflict, InvalidRequest, NotFound } from '../../http/domain.errors';
import { pageWindow, toPage, type Page, type PageRequest } from '../../lists/pages';
import { ApiKey } from './api-key.entity';
import { ApiKeyMacs, REVOKED_MAC } from './api-key-macs';
import { hashOf, newSecret, prefixOf } from './api-key-secret';
import { lockOperator } from '../operators/operator-lock';
import { requireOwnedAccounts, requireOwnedFleets } from './owned-accounts';
import { allowedHostsOf, viewOf, type ApiKeyView, type CreateApiKeyDto, type NewApiKeyView, type UnusedApiKeyView } from './api-keys.dto';

/** Creates, lists and revokes API keys. */
@Injectable()
export class ApiKeysService {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly clock: Clock,
    private readonly audit: AuditLog,
    private readonly macs: ApiKeyMacs,
  ) {}

  create(actor: Actor, wanted: CreateApiKeyDto): Promise<NewApiKeyView> {
    return this.database.transaction((manager) => this.createWith(manager, actor, wanted));
  }

  /** Creates a key in the caller's transaction. Returns it with its secret, which is not stored. @throws InvalidRequest */
  async createWith(manager: EntityManager, actor: Actor, wanted: CreateApiKeyDto): Promise<NewApiKeyView> {
    const { operatorId } = actor;
    const now = this.clock.now();
    const expiresAt = wanted.expires_at ? new Date(wanted.expires_at) : null;
    if (expiresAt && expiresAt <= now) throw InvalidRequest.field('expires_at', 'must be in the future');
    const accountIds = wanted.account_ids ?? [];
    const fleetIds = wanted.fleet_ids ?? [];
    await requireOwnedAccounts(manager, operatorId, accountIds);
    await requireOwnedFleets(manager, operatorId, fleetIds);
    const secret = newSecret(wanted.type);
    const id = newId('key', now);
    const authenticated = { id, operatorId, type: wanted.type, hash: hashOf(secret), expiresAt, allowedHosts: allowedHostsOf(wanted) };
    const key = manager.create(ApiKey, {
      ...authenticated,
      name: wanted.name ?? null,
      prefix: prefixOf(secret),
      mac: this.macs.of(authenticated, { accountIds, fleetIds }),
      lastUsedAt: null,
      lastUsedIp: null,
      lastUsedIpAt: null,
      revokedAt: null,
      createdAt: now,
      accounts: accountIds.map((accountId, position) => ({ keyId: id, operatorId, accountId, position })),
      fleets: fleetIds.map((fleetId, position) => ({ keyId: id, operatorId, fleetId, position })),
    });
    await manager.save(key);
    const { last_used_at: _at, last_used_ip: _ip, last_used_ip_at: _ipAt, ...view } = viewOf(key);
    await this.audit.record(actor, { action: 'api_key.created', object: id, after: auditedFields(view) }, manager);
    return { ...view, key: secret };
  }

  async list(operatorId: string, request: PageRequest): Promise<Page<ApiKeyView>> {
    const { where, ...window } = pageWindow(request);
    const rows = await this.database.manager.find(ApiKey, {
      ...window,
      where: { ...where, operatorId, revokedAt: IsNull() },
      relations: { accounts: true, fleets: true },
      relationLoadStrategy: 'query',
    });
    return toPage(rows, request, viewOf);
  }

  /** A valid key of an operator. @throws NotFound */
  async find(operatorId: string, id: string): Promise<ApiKey> {
    const key = await this.database.manager.findOne(ApiKey, {
      where: { id, operatorId, revokedAt: IsNull() },
      relations: { accounts: true, fleets: true },
      relationLoadStrategy: 'query',
    });
    if (!key) throw new NotFound('There is no such key.');
    return key;
  }

  /**
   * Revokes a key at once. Locks the operator's row, so that of two operator keys that revoke each other one stays. @throws NotFound,
   * Conflict
   */
  async revoke(caller: Caller, id: string): Promise<void> {
    const { operatorId } = caller;
    if (!isId('key', id)) throw new NotFound();
    await this.database.transaction(async (manager) => {
      await lockOperator(manager, operatorId);
      const key = await manager.findOne(ApiKey, {
        where: { id, operatorId, revokedAt: IsNull() },
        relations: { accounts: true, fleets: true },
      });
      if (!key) throw new NotFound();
      if (key.type === 'operator') await this.requireAnother(manager, key);
      await manager.update(ApiKey, { id }, { revokedAt: this.clock.now(), mac: REVOKED_MAC });
      await this.audit.record(caller, { action: 'api_key.revoked', object: id, before: auditedFields(viewOf(key)) }, manager);
    });
  }

  private async requireAnother(manager: EntityManager, key: ApiKey): Promise<void> {
    const others = { id: Not(key.id), operatorId: key.operatorId, type: 'operator' as const, revokedAt: IsNull() };
    const another = await manager.existsBy(ApiKey, [
      { ...others, expiresAt: IsNull() },
      { ...others, expiresAt: MoreThan(this.clock.now()) },
    ]);
    if (!another) throw new Conflict('The last operator key cannot revoke itself: make another first.', 'active');
  }
}

/** The facts that the audit log keeps of a key. */
function auditedFields({
  type,
  name,
  account_ids,
  fleet_ids,
  allowed_hosts,
  prefix,
  expires_at,
}: UnusedApiKeyView): Record<string, unknown> {
  return { type, name, account_ids, fleet_ids, allowed_hosts, prefix, expires_at };
}
