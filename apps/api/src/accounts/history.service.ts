import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, MoreThan, Not, type EntityManager } from 'typeorm';
import { newId } from '#database';
import { Clock } from '../clock';
import { ExplorerLinks } from '../http/explorer-links';
import { pageWindow, toPage, type Page } from '../http/pages';
import { AccountRecord } from './account-record.entity';
import { recordView, type ListRecordsQuery, type RecordView } from './accounts.dto';
import { AccountsService } from './accounts.service';

export type NewRecord = Omit<AccountRecord, 'id' | 'createdAt'>;

/** What happened to an account's money. */
@Injectable()
export class HistoryService {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly clock: Clock,
    private readonly accounts: AccountsService,
    private readonly links: ExplorerLinks,
  ) {}

  /** Writes lines in the transaction of the fact that they tell. */
  async record(manager: EntityManager, records: NewRecord[]): Promise<void> {
    const createdAt = this.clock.now();
    await manager.insert(AccountRecord, records.map((record) => ({ ...record, id: newId('txn', createdAt), createdAt })));
  }

  async list(operatorId: string, accountId: string, query: ListRecordsQuery): Promise<Page<RecordView>> {
    await this.accounts.find(operatorId, accountId);
    const { where, ...window } = pageWindow(query);
    const type = { settled: { type: Not('rejection' as const) }, rejected: { type: 'rejection' as const }, all: {} }[query.status];
    const since = query.since === undefined ? {} : { createdAt: MoreThan(new Date(query.since)) };
    const records = await this.database.manager.find(AccountRecord, { ...window, where: { ...where, ...type, ...since, accountId } });
    return toPage(records, query, (record) => recordView(record, (signature) => this.links.transaction(signature)));
  }
}
