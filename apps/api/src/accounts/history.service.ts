import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { And, DataSource, MoreThan, MoreThanOrEqual, Not } from 'typeorm';
import { firstIdAt } from '#database';
import { ExplorerLinks } from '../http/explorer-links';
import { pageWindow, toPage, type Page } from '../http/pages';
import { LedgerEntry } from '../ledger';
import { recordView, type ListRecordsQuery, type RecordView } from './accounts.dto';
import { AccountsService } from './accounts.service';

/** Reads the histories of accounts for the API. */
@Injectable()
export class HistoryService {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly accounts: AccountsService,
    private readonly links: ExplorerLinks,
  ) {}

  async list(operatorId: string, accountId: string, query: ListRecordsQuery): Promise<Page<RecordView>> {
    await this.accounts.find(operatorId, accountId);
    const { where, ...window } = pageWindow(query);
    const type = { settled: { type: Not('rejection' as const) }, rejected: { type: 'rejection' as const }, all: {} }[query.status];
    const since = query.since === undefined ? undefined : new Date(query.since);
    // The first bound is the cursor's. The second one bounds the scan of the index by the time.
    const bounds = [where.id, since && MoreThanOrEqual(firstIdAt('txn', since))].filter((bound) => bound !== undefined);
    const records = await this.database.manager.find(LedgerEntry, {
      ...window,
      where: { ...type, accountId, ...(since && { createdAt: MoreThan(since) }), ...(bounds.length > 0 && { id: And(...bounds) }) },
    });
    return toPage(records, query, (record) => recordView(record, (signature) => this.links.transaction(signature)));
  }
}
