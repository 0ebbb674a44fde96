import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, In, Not, type FindOptionsWhere } from 'typeorm';
import { covers, type Caller } from '../http/caller';
import { ExplorerLinks } from '../http/explorer-links';
import { pageWhere, pageWindow, toPage, type Page } from '../http/pages';
import { LedgerEntry } from '../ledger';
import { AccountsService } from './accounts.service';
import { CSV_HEADER, csvLine } from './records.csv';
import { recordView, type ListRecordsQuery, type ListTransactionsQuery, type RecordView } from './records.dto';

/** Records that are read together for an export. */
const EXPORT_PAGE = 500;

/** Reads the histories of accounts for the API. */
@Injectable()
export class HistoryService {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly accounts: AccountsService,
    private readonly links: ExplorerLinks,
  ) {}

  /** A page of one account's records. @throws NotFound */
  async list(operatorId: string, accountId: string, query: ListRecordsQuery): Promise<Page<RecordView>> {
    await this.accounts.find(operatorId, accountId);
    const { order, take } = pageWindow(query);
    const where = { ...ofType(query), ...pageWhere('txn', query), accountId };
    const records = await this.database.manager.find(LedgerEntry, { where, order, take });
    return toPage(records, query, (record) => this.view(record));
  }

  /** A page of the records of all accounts that the caller may see. */
  async listAll(caller: Caller, query: ListTransactionsQuery): Promise<Page<RecordView>> {
    const { order, take } = pageWindow(query);
    const records = await this.database.manager.find(LedgerEntry, { where: whereOf(caller, query), order, take });
    return toPage(records, query, (record) => this.view(record));
  }

  /**
   * All records of a query as CSV, in chunks of some hundred lines. Each chunk is one short statement that runs when the reader asks for
   * it, so that a slow reader holds neither a transaction nor more than a chunk in memory.
   */
  async *csv(caller: Caller, query: ListTransactionsQuery): AsyncGenerator<string> {
    let cursor: string | undefined;
    for (let head = CSV_HEADER; ; head = '') {
      const where = whereOf(caller, { ...query, ...(cursor !== undefined && { cursor }) });
      const records = await this.database.manager.find(LedgerEntry, { where, order: { id: 'DESC' }, take: EXPORT_PAGE });
      yield head + records.map((record) => csvLine(this.view(record))).join('');
      cursor = records.at(-1)?.id;
      if (records.length < EXPORT_PAGE) return;
    }
  }

  private view(record: LedgerEntry): RecordView {
    return recordView(record, (signature) => this.links.transaction(signature));
  }
}

function whereOf(caller: Caller, query: ListTransactionsQuery): FindOptionsWhere<LedgerEntry> {
  const { account_id, category, counterparty, reference } = query;
  const accountIds = account_id === undefined ? caller.accountIds : covers(caller, account_id) ? [account_id] : [];
  return {
    ...ofType(query),
    ...pageWhere('txn', query),
    operatorId: caller.operatorId,
    ...(accountIds && { accountId: In(accountIds) }),
    ...(category !== undefined && { category }),
    ...(counterparty !== undefined && { counterparty }),
    ...(reference !== undefined && { reference }),
  };
}

/** A record is rejected exactly where its type is `rejection`. */
function ofType({ type, status }: Pick<ListRecordsQuery, 'type' | 'status'>): FindOptionsWhere<LedgerEntry> {
  if (type !== undefined) return status === 'all' || (status === 'rejected') === (type === 'rejection') ? { type } : { type: In([]) };
  return { settled: { type: Not('rejection' as const) }, rejected: { type: 'rejection' as const }, all: {} }[status];
}
