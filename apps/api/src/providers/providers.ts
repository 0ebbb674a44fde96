import { Body, Controller, Delete, Get, HttpCode, Injectable, type OnModuleInit, Param, Put, Query } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { isAddress } from '#chain';
import { empty, execute, hydrate, runPrepared, sql } from '#database';
import { Clock } from '../runtime/clock';
import { Caller } from '../http/caller';
import { AuditLog } from '../audit';
import { Check, IsNullable, IsTextList, itself, parseMoment } from '../http/checks';
import { InvalidRequest, NotFound } from '../http/domain.errors';
import { keysetQuery, toPage, type Page } from '../http/pages';
import { CATEGORY } from '../policy';
import { RowMacs } from '../secrets';
import { Provider } from './provider.entity';

const MAX_CATEGORIES = 32;
const MAX_HOST = 261;

export class PutProviderDto {
  /** The owner of the token account that is paid. */
  @Check((value) => (typeof value === 'string' && isAddress(value) ? [] : [itself('must be a chain address: 32 bytes in base58')]), {
    type: 'string',
    pattern: '^[1-9A-HJ-NP-Za-km-z]{32,44}$',
  })
  payee: string;

  /** The categories that it may be paid for: null or omitted for any, an empty list for none. */
  @IsNullable()
  @IsTextList({ max: MAX_CATEGORIES, item: CATEGORY })
  categories?: string[] | null;
}

/** The key that providers are listed by: when they were pinned, and the host. */
const LIST_KEY = /^(\S+Z) (\S{1,261})$/;

export class ListProvidersQuery extends keysetQuery((key) => parseMoment(LIST_KEY.exec(key)?.[1] ?? '') !== undefined) {}

/** A pinned provider, as the API shows it. */
export interface ProviderView {
  host: string;
  payee: string;
  categories: string[] | null;
  created_at: string;
  updated_at: string;
}

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

  /** The pinned provider at the host of a URL; null where there is none. */
  async known(operatorId: string, url: string): Promise<KnownProvider | null> {
    const [row] = await runPrepared(this.database, 'SELECT * FROM providers WHERE operator_id = $1 AND host = $2', [
      operatorId,
      new URL(url).host,
    ]);
    if (!row) return null;
    const provider = hydrate(this.database, Provider, row);
    return { ...provider, isGenuine: this.macs.isGenuine('provider', factsOf(provider), provider.mac) };
  }

  async put(caller: Caller, host: string, { payee, categories = null }: PutProviderDto): Promise<ProviderView> {
    const { operatorId } = caller;
    const [now, object] = [this.clock.now(), hostOf(host)];
    await this.database.transaction(async (manager) => {
      const old = await manager.findOne(Provider, { where: { operatorId, host: object }, lock: { mode: 'for_no_key_update' } });
      await manager.query(
        `INSERT INTO providers (operator_id, host, payee, categories, created_at, updated_at, mac) VALUES ($1, $2, $3, $4, $5, $5, $6)
         ON CONFLICT (operator_id, host) DO UPDATE SET payee = $3, categories = $4, updated_at = $5, mac = $6`,
        [
          operatorId,
          object,
          payee,
          JSON.stringify(categories),
          now,
          this.macs.of('provider', factsOf({ operatorId, host: object, payee, categories })),
        ],
      );
      await this.audit.record(
        caller,
        { action: 'provider.pinned', object, before: old && pinOf(old), after: { payee, categories } },
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
      await this.audit.record(caller, { action: 'provider.unpinned', object, before: pinOf(old) }, manager);
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

@Controller('providers')
export class ProvidersController {
  constructor(private readonly providers: Providers) {}

  /** Pins a provider: payments at this host go to this payee, for these categories, or are declined. */
  @Put(':host')
  @HttpCode(200)
  put(@Param('host') host: string, @Body() provider: PutProviderDto, @Caller() caller: Caller): Promise<ProviderView> {
    return this.providers.put(caller, host, provider);
  }

  /** Lists the pinned providers. */
  @Get()
  list(@Query() query: ListProvidersQuery, @Caller() caller: Caller): Promise<Page<ProviderView>> {
    return this.providers.list(caller.operatorId, query);
  }

  /** Returns a pinned provider. */
  @Get(':host')
  show(@Param('host') host: string, @Caller() caller: Caller): Promise<ProviderView> {
    return this.providers.show(caller.operatorId, host);
  }

  /** Unpins a provider. */
  @Delete(':host')
  @HttpCode(204)
  remove(@Param('host') host: string, @Caller() caller: Caller): Promise<void> {
    return this.providers.remove(caller, host);
  }
}

function factsOf({ operatorId, host, payee, categories }: Pick<Provider, 'operatorId' | 'host' | 'payee' | 'categories'>): unknown[] {
  return [`${operatorId} ${host}`, payee, categories];
}

function pinOf({ payee, categories }: Provider): Record<string, unknown> {
  return { payee, categories };
}

function providerView({ host, payee, categories, createdAt, updatedAt }: Provider): ProviderView {
  return { host, payee, categories, created_at: createdAt.toISOString(), updated_at: updatedAt.toISOString() };
}

/** A host in the form of URLs. @throws InvalidRequest for a text that is no host. */
function hostOf(text: string): string {
  const url = `https://${text}/`;
  const isHost = text.length <= MAX_HOST && !/[/?#@\\\s]/.test(text) && URL.canParse(url);
  if (!isHost) throw InvalidRequest.field('host', 'must be a host, such as api.example.com, with its port where it has one of its own');
  return new URL(url).host;
}
