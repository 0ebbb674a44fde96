import { Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { LRUCache } from 'lru-cache';
import { DataSource } from 'typeorm';
import { Chain } from '#chain';
import { execute, sql } from '#database';
import { AuditLog } from '../audit';
import { EgressClient } from '../egress/egress-client';
import { EgressError } from '../egress/egress.errors';
import { egressUrlDefect } from '../egress/url-policy';
import type { Caller } from '../http/caller';
import { InvalidRequest } from '../http/domain.errors';
import { Clock } from '../runtime/clock';
import { Config } from '../runtime/config';
import { type CatalogueEntry, readEntry, readPage } from './catalogue-entries';
import type { CataloguesView, PutCataloguesDto } from './services.dto';

/** The time-out of one page of a catalogue. */
const PAGE_TIMEOUT_MS = 5_000;
const MAX_PAGE_BYTES = 1_048_576;
/** Entries of a page that is asked for, and pages that are read of one catalogue. */
const PAGE_ENTRIES = 100;
const MAX_PAGES = 10;
const MAX_ENTRIES = 1_000;
/** How long what was read of a catalogue is kept, and how many catalogues are: an entry has at most 16 KB. */
const KEPT_MS = 60_000;
const MAX_KEPT = 20;

/** The catalogues that operators allow, and what stands in them. */
@Injectable()
export class CataloguesService {
  private readonly logger = new Logger('Services');
  private readonly kept = new LRUCache<string, Promise<CatalogueEntry[]>>({ max: MAX_KEPT, ttl: KEPT_MS });

  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly chain: Chain,
    private readonly audit: AuditLog,
    private readonly http: EgressClient,
  ) {}

  async show(operatorId: string): Promise<CataloguesView> {
    const [row] = await execute(this.database, sql`SELECT urls, updated_at FROM service_catalogues WHERE operator_id = ${operatorId}`);
    return row ? { urls: row.urls as string[], updated_at: (row.updated_at as Date).toISOString() } : { urls: [], updated_at: null };
  }

  /** Replaces the catalogues of an operator. @throws InvalidRequest for a URL that may not be called */
  async put(caller: Caller, { urls }: PutCataloguesDto): Promise<CataloguesView> {
    const rules = { allowPrivate: this.config.ALLOW_PRIVATE_URLS };
    for (const [index, url] of urls.entries()) {
      const defect = egressUrlDefect(url, rules);
      if (defect !== undefined) throw InvalidRequest.field(`urls[${index}]`, defect);
    }
    const { operatorId } = caller;
    const before = await this.show(operatorId);
    const now = this.clock.now();
    await this.database.transaction(async (manager) => {
      await manager.query(
        `INSERT INTO service_catalogues (operator_id, urls, updated_at) VALUES ($1, $2, $3)
         ON CONFLICT (operator_id) DO UPDATE SET urls = $2, updated_at = $3`,
        [operatorId, urls, now],
      );
      const change = { action: 'catalogues.changed' as const, object: operatorId };
      await this.audit.record(caller, { ...change, before: { urls: before.urls }, after: { urls } }, manager);
    });
    return { urls, updated_at: now.toISOString() };
  }

  /** The entries of an operator's catalogues now. One that cannot be read is left out. */
  async entries(operatorId: string): Promise<CatalogueEntry[]> {
    const { urls } = await this.show(operatorId);
    return (await Promise.all(urls.map((url) => this.entriesAt(url)))).flat();
  }

  private entriesAt(url: string): Promise<CatalogueEntry[]> {
    const known = this.kept.get(url);
    if (known) return known;
    const reading = this.read(url).catch((error: unknown) => {
      if (!(error instanceof EgressError) && !(error instanceof SyntaxError)) throw error;
      this.logger.warn(`The catalogue at ${new URL(url).origin} cannot be read: ${error.message}`);
      return [];
    });
    this.kept.set(url, reading);
    reading.catch(() => this.kept.delete(url));
    return reading;
  }

  /** Page by page, as the format of discovery has it. A static list is one page. */
  private async read(url: string): Promise<CatalogueEntry[]> {
    const entries: CatalogueEntry[] = [];
    let offset = 0;
    for (let page = 0; page < MAX_PAGES && entries.length < MAX_ENTRIES; page++) {
      const { entries: listed, total } = readPage(await this.page(url, offset));
      offset += listed.length;
      const now = this.clock.now();
      for (const each of listed) {
        const entry = readEntry(each, this.chain.identity, now);
        if (entry && entries.length < MAX_ENTRIES) entries.push(entry);
      }
      if (total === null || offset >= total || listed.length === 0) break;
    }
    return entries;
  }

  private async page(url: string, offset: number): Promise<string> {
    const paged = new URL(url);
    if (offset > 0) {
      paged.searchParams.set('offset', `${offset}`);
      paged.searchParams.set('limit', `${PAGE_ENTRIES}`);
    }
    const { status, body, truncated } = await this.http.fetch({
      url: paged.href,
      method: 'GET',
      headers: { Accept: 'application/json' },
      timeoutMs: PAGE_TIMEOUT_MS,
      maxBodyBytes: () => MAX_PAGE_BYTES,
    });
    if (status !== 200) throw new EgressError(`It answered ${status}`);
    if (truncated) throw new EgressError(`A page has more than ${MAX_PAGE_BYTES} bytes`);
    return body.toString();
  }
}
