import { createHash } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, In, type EntityManager } from 'typeorm';
import { isId, newId } from '#database';
import { Clock } from '../runtime/clock';
import { currentTraceparent } from '../runtime/observability/tracing';
import { Config } from '../runtime/config';
import { AuditLog } from '../audit';
import type { Caller } from '../http/caller';
import { Conflict, InvalidRequest, NotFound } from '../http/domain.errors';
import { limitToMicroUsdc } from '../money/usdc';
import { egressUrlDefect } from '../egress/url-policy';
import { pageWindow, toPage, type Page, type PageRequest } from '../lists/pages';
import { lockOperator } from '../keys';
import { STOPPED_AFTER_MS } from './deliveries/delivery-sender';
import { Event, eventView, type EventView, TEST_EVENT } from '../events';
import { filterRows, insertFilter, isOfAll, removeFilter, replaceFilter, requireOwned } from './endpoints/webhook-filter';
import { WebhookSeals } from './endpoints/webhook-seals';
import { newWebhookSecret } from './endpoints/webhook-secret';
import { Webhook } from './endpoints/webhook.entity';
import {
  accountIdsOf,
  fleetIdsOf,
  webhookView,
  type ChangeWebhookDto,
  type CreateWebhookDto,
  type NewWebhookView,
  type WebhookView,
} from './webhooks.dto';
import { WebhookHealth } from './endpoints/webhook-health';

/** The most webhooks of an operator: each event is matched with all of them. */
const MAX_WEBHOOKS = 1_000;
/** How long the previous secret also signs after a rotation. */
const PREVIOUS_SECRET_SIGNS_MS = 24 * 60 * 60_000;
const AUDITED_HASH_CHARACTERS = 8;

/** Registers, changes and removes webhooks. */
@Injectable()
export class WebhooksService {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly seals: WebhookSeals,
    private readonly audit: AuditLog,
    private readonly health: WebhookHealth,
  ) {}

  async create(caller: Caller, wanted: CreateWebhookDto): Promise<NewWebhookView> {
    const { operatorId } = caller;
    this.requireAllowed(wanted.url);
    const now = this.clock.now();
    const id = newId('wh', now);
    const secret = newWebhookSecret();
    const filter = { accountIds: wanted.account_ids ?? [], fleetIds: wanted.fleet_ids ?? [] };
    return this.database.transaction(async (manager) => {
      await requireOwned(manager, operatorId, filter);
      await this.requireBelowLimit(manager, operatorId);
      const webhook = manager.create(Webhook, {
        id,
        operatorId,
        urlSealed: this.seals.sealUrl(id, wanted.url),
        events: wanted.events ?? [],
        allAccounts: isOfAll(filter),
        lowBalanceThreshold: toThreshold(wanted.low_balance_threshold_usdc),
        thresholdSince: now,
        status: 'active',
        secretSealed: this.seals.sealSecret(id, secret),
        previousSecretSealed: null,
        previousSecretUntil: null,
        createdAt: now,
        ...filterRows({ id, operatorId }, filter),
      });
      await manager.insert(Webhook, webhook);
      await insertFilter(manager, webhook);
      const { created_at, ...view } = webhookView(webhook, wanted.url);
      await this.audit.record(caller, { action: 'webhook.created', object: id, after: this.auditedFields(webhook) }, manager);
      return { ...view, secret, created_at };
    });
  }

  async list(operatorId: string, request: PageRequest): Promise<Page<WebhookView>> {
    const { where, ...window } = pageWindow(request);
    const rows = await this.database.manager.find(Webhook, {
      ...window,
      where: { ...where, operatorId, status: In(['active', 'paused']) },
      relations: { accounts: true, fleets: true },
      relationLoadStrategy: 'query',
    });
    const healthOf = await this.health.of(rows.map(({ id }) => id));
    return toPage(rows, request, (webhook) => webhookView(webhook, this.seals.urlOf(webhook), healthOf(webhook.id)));
  }

  async get(operatorId: string, id: string): Promise<WebhookView> {
    return this.view(await this.find(this.database.manager, operatorId, id));
  }

  async change(caller: Caller, id: string, change: ChangeWebhookDto): Promise<WebhookView> {
    const { operatorId } = caller;
    if (change.url !== undefined) this.requireAllowed(change.url);
    const changed = await this.database.transaction(async (manager) => {
      const webhook = await this.find(manager, operatorId, id, true);
      const { url, status = webhook.status, account_ids, fleet_ids, low_balance_threshold_usdc } = change;
      const events = change.events === undefined ? webhook.events : (change.events ?? []);
      await manager.update(
        Webhook,
        { id },
        {
          ...(url !== undefined && { urlSealed: this.seals.sealUrl(id, url) }),
          status,
          events,
          ...this.thresholdColumns(webhook, low_balance_threshold_usdc),
        },
      );
      if (account_ids !== undefined || fleet_ids !== undefined)
        await replaceFilter(manager, webhook, {
          accountIds: account_ids === undefined ? accountIdsOf(webhook) : (account_ids ?? []),
          fleetIds: fleet_ids === undefined ? fleetIdsOf(webhook) : (fleet_ids ?? []),
        });
      const changed = await this.find(manager, operatorId, id);
      const [before, after] = [this.auditedFields(webhook), this.auditedFields(changed)];
      await this.audit.record(caller, { action: 'webhook.changed', object: id, before, after }, manager);
      return changed;
    });
    if (change.status === 'paused') await setTimeout(STOPPED_AFTER_MS);
    return this.view(changed);
  }

  /** Deletes a webhook. Nothing is sent to it after this returns. @throws NotFound */
  async remove(caller: Caller, id: string): Promise<void> {
    const { operatorId } = caller;
    await this.database.transaction(async (manager) => {
      const webhook = await this.find(manager, operatorId, id, true);
      await manager.update(
        Webhook,
        { id },
        { status: 'deleted', secretSealed: null, previousSecretSealed: null, previousSecretUntil: null },
      );
      await removeFilter(manager, id);
      await this.audit.record(caller, { action: 'webhook.deleted', object: id, before: this.auditedFields(webhook) }, manager);
    });
    await setTimeout(STOPPED_AFTER_MS);
  }

  /** Gives a webhook a new secret. The previous one also signs for a day. @throws NotFound */
  async rotateSecret(caller: Caller, id: string): Promise<NewWebhookView> {
    const { operatorId } = caller;
    const secret = newWebhookSecret();
    return this.database.transaction(async (manager) => {
      const webhook = await this.find(manager, operatorId, id, true);
      const previousSecretUntil = new Date(this.clock.now().getTime() + PREVIOUS_SECRET_SIGNS_MS);
      await manager.update(
        Webhook,
        { id },
        { previousSecretSealed: () => 'secret_sealed', previousSecretUntil, secretSealed: this.seals.sealSecret(id, secret) },
      );
      const { created_at, ...view } = await this.view(webhook);
      await this.audit.record(caller, { action: 'webhook.secret_rotated', object: id }, manager);
      return { ...view, secret, created_at };
    });
  }

  /** Records an event `webhook.test` for this webhook alone. @throws NotFound; Conflict for a paused one. */
  async test(operatorId: string, id: string): Promise<EventView> {
    await this.requireActive(operatorId, id);
    const now = this.clock.now();
    const event = this.database.manager.create(Event, {
      id: newId('evt', now),
      operatorId,
      accountId: null,
      sequence: null,
      type: TEST_EVENT,
      data: { webhook_id: id },
      createdAt: now,
      webhookId: id,
      traceparent: currentTraceparent(),
    });
    await this.database.transaction(async (manager) => {
      await manager.save(event);
      await manager.query('INSERT INTO events_to_fan_out (event_id) VALUES ($1)', [event.id]);
    });
    return eventView(event);
  }

  private async view(webhook: Webhook): Promise<WebhookView> {
    return webhookView(webhook, this.seals.urlOf(webhook), (await this.health.of([webhook.id]))(webhook.id));
  }

  /** @throws NotFound; Conflict for a paused webhook. */
  async requireActive(operatorId: string, id: string): Promise<void> {
    const { status } = await this.find(this.database.manager, operatorId, id);
    if (status !== 'active') throw new Conflict('A paused webhook is sent nothing: make it active first.', status);
  }

  /** @throws NotFound, also for a deleted webhook. */
  async find(manager: EntityManager, operatorId: string, id: string, lock = false): Promise<Webhook> {
    const where = { id, operatorId, status: In(['active', 'paused']) };
    const exists = isId('wh', id) && (!lock || (await manager.findOne(Webhook, { where, lock: { mode: 'for_no_key_update' } })));
    const webhook = exists
      ? await manager.findOne(Webhook, { where, relations: { accounts: true, fleets: true }, relationLoadStrategy: 'query' })
      : null;
    if (!webhook) throw new NotFound();
    return webhook;
  }

  /** The columns of a changed threshold. The same threshold changes nothing. */
  private thresholdColumns(webhook: Webhook, given: number | null | undefined): Partial<Webhook> {
    const lowBalanceThreshold = toThreshold(given);
    return given === undefined || lowBalanceThreshold === webhook.lowBalanceThreshold
      ? {}
      : { lowBalanceThreshold, thresholdSince: this.clock.now() };
  }

  private requireAllowed(url: string): void {
    const defect = egressUrlDefect(url, { allowPrivate: this.config.ALLOW_PRIVATE_URLS });
    if (defect !== undefined) throw InvalidRequest.field('url', defect);
  }

  /** Locks the operator's row, so that concurrent registrations are counted one after the other. @throws Conflict at the limit. */
  private async requireBelowLimit(manager: EntityManager, operatorId: string): Promise<void> {
    await lockOperator(manager, operatorId);
    const count = await manager.countBy(Webhook, { operatorId, status: In(['active', 'paused']) });
    if (count >= MAX_WEBHOOKS) throw new Conflict(`An operator has at most ${MAX_WEBHOOKS} webhooks: delete one first.`, 'full');
  }

  /** The facts that the audit log keeps of a webhook. A token in its URL is kept as a hash, which shows that it changed. */
  private auditedFields(webhook: Webhook): Record<string, unknown> {
    const url = this.seals.urlOf(webhook);
    const { events, account_ids, fleet_ids, low_balance_threshold_usdc, status } = webhookView(webhook, url);
    const hash = createHash('sha256').update(url).digest('hex').slice(0, AUDITED_HASH_CHARACTERS);
    return { url: `${new URL(url).origin}/… (SHA-256 ${hash}…)`, events, account_ids, fleet_ids, low_balance_threshold_usdc, status };
  }
}

function toThreshold(given: number | null | undefined): bigint | null {
  return given === undefined || given === null ? null : limitToMicroUsdc(given);
}
