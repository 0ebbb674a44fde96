import { Injectable, type OnModuleInit } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { empty, execute, hydrate, runPrepared, sql } from '#database';
import { Clock } from '../runtime/clock';
import type { Caller } from '../http/caller';
import { AuditLog } from '../audit';
import { InvalidRequest, NotFound } from '../http/domain.errors';
import { type Page, toPage } from '../lists/pages';
import { RowMacs } from '../secrets';
import { Provider } from './provider.entity';
import {
  DEFAULT_MAX_BYTES,
  DEFAULT_MAX_SECONDS,
  LIST_KEY,
  type ListProvidersQuery,
  type ProviderView,
  providerView,
  type PutProviderDto,
  requireMember,
} from './providers.dto';

const MAX_HOST = 261;

/** How long an answer of a provider is read, in seconds, and how much of its body, in bytes. */
export type AnswerLimits = Pick<Provider, 'maxSeconds' | 'maxBytes'>;

const DEFAULT_LIMITS: AnswerLimits = { maxSeconds: DEFAULT_MAX_SECONDS, maxBytes: DEFAULT_MAX_BYTES };

/** A pinned provider, and whether the service stored it as it is. */
export type KnownProvider = Provider & { isGenuine: boolean };

/** Providers that operators have pinned: a payment at such a host goes to the pinned payee, for the pinned categories, or is declined. */
@Injectable()
export class Providers implements OnModuleInit {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly clock: Clock,
    private readonly audit: AuditLog,
    private readonly macs: RowMacs,
  ) {}

  onModuleInit(): void {
    this.macs.register((options) => this.rewriteMacs(options));
  }

  /** The pinned provider at the host of a URL; null if there is none. */
  async known(operatorId: string, url: string): Promise<KnownProvider | null> {
    const [row] = await runPrepared(this.database, 'SELECT * FROM providers WHERE operator_id = $1 AND host = $2', [
      operatorId,
      new URL(url).host,
    ]);
    if (!row) return null;
    const provider = hydrate(this.database, Provider, row);
    return { ...provider, isGenuine: this.macs.isGenuine('provider', factsOf(provider), provider.mac) };
  }

  /** Replaces the record of a host. @throws InvalidRequest for a text that is not a host, or a body without a member. */
  async put(caller: Caller, host: string, dto: PutProviderDto): Promise<ProviderView> {
    requireMember(dto);
    const { operatorId } = caller;
    const [now, object] = [this.clock.now(), hostOf(host)];
    const record = recordOf(dto);
    await this.database.transaction(async (manager) => {
      const old = await manager.findOne(Provider, { where: { operatorId, host: object }, lock: { mode: 'for_no_key_update' } });
      await manager.query(
        `INSERT INTO providers (operator_id, host, payee, categories, operator_key, wallet_programs, max_seconds, max_bytes, created_at, updated_at, mac)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9, $10)
         ON CONFLICT (operator_id, host) DO UPDATE SET payee = $3, categories = $4, operator_key = $5, wallet_programs = $6, max_seconds = $7,
           max_bytes = $8, updated_at = $9, mac = $10`,
        [
          operatorId,
          object,
          record.payee,
          JSON.stringify(record.categories),
          record.operatorKey,
          record.walletPrograms,
          record.maxSeconds,
          record.maxBytes,
          now,
          this.macs.of('provider', factsOf({ operatorId, host: object, ...record })),
        ],
      );
      await this.audit.record(
        caller,
        { action: 'provider.pinned', object, before: old && recordView(old), after: recordView(record) },
        manager,
      );
    });
    return this.show(operatorId, host);
  }

  async show(operatorId: string, host: string): Promise<ProviderView> {
    const provider = await this.database.manager.findOneBy(Provider, { operatorId, host: hostOf(host) });
    if (!provider) throw new NotFound('There is no such provider.');
    return providerView(provider);
  }

  /** A page of the pinned providers, the one that was pinned last first. */
  async list(operatorId: string, query: ListProvidersQuery): Promise<Page<ProviderView>> {
    const [, createdAt, host] = LIST_KEY.exec(query.cursor ?? '') ?? [];
    const before = createdAt === undefined ? empty : sql`AND (created_at, host) < (${createdAt}::timestamptz, ${host})`;
    const rows = await execute(
      this.database,
      sql`SELECT * FROM providers WHERE operator_id = ${operatorId} ${before}
          ORDER BY created_at DESC, host DESC LIMIT ${query.limit + 1}`,
    );
    const providers = rows.map((row) => hydrate(this.database, Provider, row));
    const keyed = providers.map((provider) => ({ id: `${provider.createdAt.toISOString()} ${provider.host}`, provider }));
    return toPage(keyed, query, ({ provider }) => providerView(provider));
  }

  async remove(caller: Caller, host: string): Promise<void> {
    const { operatorId } = caller;
    const object = hostOf(host);
    await this.database.transaction(async (manager) => {
      const old = await manager.findOne(Provider, { where: { operatorId, host: object }, lock: { mode: 'pessimistic_write' } });
      if (!old) throw new NotFound('There is no such provider.');
      await manager.delete(Provider, { operatorId, host: object });
      await this.audit.record(caller, { action: 'provider.unpinned', object, before: recordView(old) }, manager);
    });
  }

  /** Writes the codes of genuine pins again, and with `areTrusted` of those from before there were codes. */
  private async rewriteMacs({ areTrusted }: { areTrusted: boolean }): Promise<number> {
    let written = 0;
    for (const provider of await this.database.manager.find(Provider)) {
      const { operatorId, host } = provider;
      const mac = this.macs.renewed('provider', factsOf(provider), provider.mac, areTrusted);
      if (!mac) continue;
      await this.database.manager.update(Provider, { operatorId, host }, { mac });
      written++;
    }
    return written;
  }
}

/** The limits of a provider's answers: those of its record, if the service stored it as it is, else the defaults. */
export function limitsOf(provider: KnownProvider | null): AnswerLimits {
  return provider?.isGenuine ? { maxSeconds: provider.maxSeconds, maxBytes: provider.maxBytes } : DEFAULT_LIMITS;
}

type ProviderRecord = Pick<Provider, 'payee' | 'categories' | 'operatorKey' | 'walletPrograms' | 'maxSeconds' | 'maxBytes'>;

function recordOf(dto: PutProviderDto): ProviderRecord {
  return {
    payee: dto.payee ?? null,
    categories: dto.categories ?? null,
    operatorKey: dto.operator_key ?? null,
    walletPrograms: dto.wallet_programs ?? null,
    maxSeconds: dto.max_seconds ?? DEFAULT_MAX_SECONDS,
    maxBytes: dto.max_bytes ?? DEFAULT_MAX_BYTES,
  };
}

/** The record with its default limits alone has the facts that its code covered before there were others. */
function factsOf({ operatorId, host, payee, categories, ...more }: ProviderRecord & Pick<Provider, 'operatorId' | 'host'>): unknown[] {
  const { operatorKey, walletPrograms, maxSeconds, maxBytes } = more;
  const isPlain = operatorKey === null && walletPrograms === null && maxSeconds === DEFAULT_MAX_SECONDS && maxBytes === DEFAULT_MAX_BYTES;
  return [`${operatorId} ${host}`, payee, categories, ...(isPlain ? [] : [operatorKey, walletPrograms, maxSeconds, maxBytes])];
}

function recordView(record: ProviderRecord): Record<string, unknown> {
  const { payee, categories, operatorKey, walletPrograms, maxSeconds, maxBytes } = record;
  return {
    payee,
    categories,
    operator_key: operatorKey,
    wallet_programs: walletPrograms,
    max_seconds: maxSeconds,
    max_bytes: maxBytes,
  };
}

/** A host in the form of URLs. @throws InvalidRequest for a text that is not a host. */
function hostOf(text: string): string {
  const url = `https://${text}/`;
  const isHost = text.length <= MAX_HOST && !/[/?#@\\\s]/.test(text) && URL.canParse(url);
  if (!isHost) throw InvalidRequest.field('host', 'must be a host, such as api.example.com, with its port where it has one of its own');
  return new URL(url).host;
}
